package io.georep.netty.internal;

import io.georep.model.NodeId;
import io.georep.netty.Authority;
import io.georep.netty.CapturedLog;
import io.georep.netty.MutualTls;
import io.georep.netty.NettyTransport;
import io.georep.netty.NettyTransportConfig;
import io.georep.netty.internal.dial.Dialer;
import io.georep.spi.Transport;
import io.georep.spi.TransportFixture;
import io.netty.pkitesting.X509Bundle;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;

/** A node with TLS, and sockets of strangers who have certificates of its authority or of another. */
abstract class TlsStrangersFixture extends TransportFixture {
    static final Authority AUTHORITY = new Authority("ours");
    static final Authority OTHER = new Authority("theirs");
    static final NodeId AMS = Samples.AMS.id();
    static final NodeId NYC = Samples.NYC.id();

    @Parameter
    boolean openSsl;

    final CapturedLog log = new CapturedLog(LinkLayer.class.getName(), Dialer.class.getName());

    @Nullable
    MutualTls tls;

    Duration handshakeTimeout = Duration.ofSeconds(5);

    @AfterEach
    void restoreTheLog() {
        log.close();
    }

    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(100))
                .handshakeTimeout(handshakeTimeout)
                .tls(tls)
                .build());
    }

    static String name(NodeId node) {
        return "georep:georep/" + node;
    }

    /** A node that listens as ams-1 with a good certificate. */
    final Node ams() {
        tls = Authority.tls(AUTHORITY.sign(name(AMS)), AUTHORITY)
                .openSsl(openSsl)
                .build();
        return start(AMS);
    }

    static NettyTransport.Counters counters(Node node) {
        return ((NettyTransport) node.transport()).counters();
    }

    static SSLContext context(@Nullable X509Bundle own) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                own == null ? null : insisting(own),
                Authority.trust(AUTHORITY, OTHER).getTrustManagers(),
                null);
        return context;
    }

    /** Shows its certificate whether or not the other side says that it trusts its authority. */
    private static KeyManager[] insisting(X509Bundle own) {
        X509ExtendedKeyManager usual =
                (X509ExtendedKeyManager) Authority.keys(own).getKeyManagers()[0];
        return new KeyManager[] {
            new X509ExtendedKeyManager() {
                @Override
                public String[] getClientAliases(String type, Principal[] issuers) {
                    return usual.getClientAliases(type, null);
                }

                @Override
                public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
                    return usual.chooseClientAlias(types, null, socket);
                }

                @Override
                public String[] getServerAliases(String type, Principal[] issuers) {
                    return usual.getServerAliases(type, null);
                }

                @Override
                public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
                    return usual.chooseServerAlias(type, null, socket);
                }

                @Override
                public X509Certificate[] getCertificateChain(String alias) {
                    return usual.getCertificateChain(alias);
                }

                @Override
                public PrivateKey getPrivateKey(String alias) {
                    return usual.getPrivateKey(alias);
                }
            }
        };
    }
}
