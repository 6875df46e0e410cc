package io.georep.netty.internal.sockets;

import io.georep.model.NodeId;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.security.SecretSecurity;
import io.georep.netty.internal.security.TlsSecurity;
import io.georep.netty.internal.security.TlsSetup;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The validated configuration in the units the code computes with. Names and meanings are those of the public
 * configuration; durations are milliseconds unless the name says nanoseconds.
 *
 * @param secrets those that open links, the one to prove first; empty: links are open
 */
public record LinkSettings(
        String cluster,
        @Nullable String bindAddress,
        int eventLoopThreads,
        boolean nativeTransport,
        int handshakeTimeoutMillis,
        long reconnectDelayMinNanos,
        long reconnectDelayMaxNanos,
        int unacknowledgedTimeoutMillis,
        int frameBytesMax,
        long queueBytesLow,
        long queueBytesHigh,
        long queueBytesMax,
        int writeBufferBytesLow,
        int writeBufferBytesHigh,
        @Nullable TlsSetup tls,
        List<byte[]> secrets) {
    /** How long TCP may take to connect, and a name server to answer. */
    public static final int CONNECT_TIMEOUT_MILLIS = 5000;

    /** Returns what protects the connections of this node. */
    public ChannelSecurity security(NodeId self) {
        if (tls != null) {
            return TlsSecurity.open(tls, cluster, self, handshakeTimeoutMillis);
        }
        return secrets.isEmpty() ? ChannelSecurity.PLAIN : new SecretSecurity(secrets);
    }
}
