package io.georep.netty;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/** An authority of the tests, and the certificates that it signs. */
public final class Authority {
    private final X509Bundle root;

    public Authority(String name) {
        try {
            root = new CertificateBuilder()
                    .subject("CN=" + name)
                    .setKeyUsage(true, KeyUsage.digitalSignature, KeyUsage.keyCertSign)
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public X509Certificate certificate() {
        return root.getRootCertificate();
    }

    /** A good certificate with these names, for example {@code georep:georep/a}. */
    public X509Bundle sign(String... uris) {
        return sign(builder -> names(builder, uris));
    }

    private static void names(CertificateBuilder builder, String... uris) {
        for (String uri : uris) {
            builder.addSanUriName(java.net.URI.create(uri));
        }
    }

    /** A certificate that is good but for what this does to it. */
    public X509Bundle sign(Consumer<CertificateBuilder> more) {
        return sign(more, ExtendedKeyUsage.PKIX_KP_SERVER_AUTH, ExtendedKeyUsage.PKIX_KP_CLIENT_AUTH);
    }

    public X509Bundle sign(Consumer<CertificateBuilder> more, ExtendedKeyUsage... uses) {
        CertificateBuilder builder =
                new CertificateBuilder().subject("CN=a node").setKeyUsage(true, KeyUsage.digitalSignature);
        for (ExtendedKeyUsage use : uses) {
            builder.addExtendedKeyUsage(use);
        }
        more.accept(builder);
        try {
            return builder.buildIssuedBy(root);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** TLS with this certificate, that trusts these authorities. */
    public static MutualTls.Builder tls(X509Bundle own, Authority... trusted) {
        return MutualTls.managers(() -> keys(own), () -> trust(trusted));
    }

    public static KeyManagerFactory keys(X509Bundle own) {
        try {
            return own.toKeyManagerFactory();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static TrustManagerFactory trust(Authority... trusted) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (int i = 0; i < trusted.length; i++) {
                store.setCertificateEntry("trusted-" + i, trusted[i].certificate());
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes key.pem, node.pem and trusted.pem, each at one stroke, the key last. */
    public static void write(Path directory, X509Bundle own, Authority... trusted) throws IOException {
        StringBuilder authorities = new StringBuilder();
        for (Authority authority : trusted) {
            authorities.append(authority.root.getRootCertificatePEM());
        }
        Files.createDirectories(directory);
        replace(directory.resolve("trusted.pem"), authorities.toString());
        replace(directory.resolve("node.pem"), own.getCertificatePathPEM());
        replace(directory.resolve("key.pem"), own.getPrivateKeyPEM());
    }

    /** Writes a file at one stroke, as those who rotate certificates should. */
    public static void replace(Path file, String content) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.writeString(next, content);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** TLS with what {@link #write} has written. */
    public static MutualTls.Builder files(Path directory) {
        return MutualTls.pem(
                directory.resolve("key.pem"), directory.resolve("node.pem"), directory.resolve("trusted.pem"));
    }
}
