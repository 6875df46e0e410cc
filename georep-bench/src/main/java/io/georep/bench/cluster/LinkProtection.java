package io.georep.bench.cluster;

import io.georep.netty.MutualTls;
import io.georep.netty.SharedSecret;
import io.netty.handler.ssl.OpenSsl;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** How links between the nodes are protected. */
enum LinkProtection {
    /** Not at all. */
    PLAIN,
    /** TLS of the JVM. */
    TLS,
    /** TLS of OpenSSL. */
    OPENSSL,
    /** A shared secret. */
    SECRET;

    private static final String KEY = "key.pem";
    private static final String CERTIFICATE = "node.pem";
    private static final String TRUSTED = "trusted.pem";

    /** Writes an authority and one certificate that names so many nodes. */
    static void write(Path directory, String cluster, int nodes) throws IOException {
        try {
            X509Bundle authority = new CertificateBuilder()
                    .subject("CN=bench")
                    .setKeyUsage(true, KeyUsage.digitalSignature, KeyUsage.keyCertSign)
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
            CertificateBuilder builder = new CertificateBuilder()
                    .subject("CN=nodes")
                    .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_SERVER_AUTH)
                    .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_CLIENT_AUTH);
            for (int i = 0; i < nodes; i++) {
                builder.addSanUriName("georep:" + cluster + "/" + LoadCluster.name(i));
            }
            X509Bundle own = builder.buildIssuedBy(authority);
            Files.writeString(directory.resolve(KEY), own.getPrivateKeyPEM());
            Files.writeString(directory.resolve(CERTIFICATE), own.getCertificatePathPEM());
            Files.writeString(directory.resolve(TRUSTED), authority.getRootCertificatePEM());
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("the certificates could not be made", e);
        }
    }

    /** Returns what a node needs, with the files from {@link #write}; null for links without TLS. */
    @Nullable
    MutualTls tls(@Nullable Path directory) {
        if (this == PLAIN || this == SECRET || directory == null) {
            return null;
        }
        if (this == OPENSSL) {
            OpenSsl.ensureAvailability();
        }
        return MutualTls.pem(directory.resolve(KEY), directory.resolve(CERTIFICATE), directory.resolve(TRUSTED))
                .openSsl(this == OPENSSL)
                .build();
    }

    /** Returns what all nodes know; null if they need not know anything. */
    @Nullable
    SharedSecret secret() {
        return this == SECRET ? SharedSecret.of(new byte[SharedSecret.BYTES_MIN]) : null;
    }
}
