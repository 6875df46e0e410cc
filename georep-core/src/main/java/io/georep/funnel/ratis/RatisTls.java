package io.georep.funnel.ratis;

import io.georep.model.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.security.TlsConf;

/**
 * Mutual TLS between the nodes and the peers of the master, with the certificates that the nodes have for their links. They are read
 * when the node starts; for others it has to be started again. The name of the host is not checked: nodes may move.
 */
public final class RatisTls {
    private static final int URI = 6;
    private static final String[] KEY_TYPES = {"EC", "RSA", "EdDSA", "RSASSA-PSS"};

    private final Supplier<GrpcTlsConfig> config;

    private RatisTls(Supplier<GrpcTlsConfig> config) {
        this.config = config;
    }

    /**
     * Returns the protection for nodes whose certificates have the name {@code URI:georep:<cluster>/<node>}. A limited certificate
     * is refused: whoever reaches a peer can decide over others.
     *
     * @param key private key of this node, PEM, not encrypted ({@code BEGIN PRIVATE KEY})
     * @param certificates its certificate, and those between it and the authority, PEM
     * @param authority certificates of the authorities that are trusted, PEM
     * @param cluster name of the cluster
     */
    public static RatisTls pem(Path key, Path certificates, Path authority, String cluster) {
        return pem(key, certificates, authority, certificate -> isNode(certificate, cluster));
    }

    /**
     * Returns the protection for nodes with another rule for their certificates.
     *
     * @param key private key of this node, PEM, not encrypted ({@code BEGIN PRIVATE KEY})
     * @param certificates its certificate, and those between it and the authority, PEM
     * @param authority certificates of the authorities that are trusted, PEM
     * @param isNode whether a certificate of these authorities is that of a node of this cluster
     */
    public static RatisTls pem(Path key, Path certificates, Path authority, Predicate<X509Certificate> isNode) {
        return new RatisTls(() -> ofFiles(key, certificates, authority, isNode));
    }

    /**
     * Returns the protection with keys and certificates that somebody else keeps.
     *
     * @param keys has the node's private key with its certificates
     * @param trusted knows the authorities that sign the certificates of nodes
     * @param isNode whether a certificate of these authorities is that of a node of this cluster
     */
    public static RatisTls managers(
            Supplier<KeyManagerFactory> keys,
            Supplier<TrustManagerFactory> trusted,
            Predicate<X509Certificate> isNode) {
        return new RatisTls(() -> {
            X509ExtendedKeyManager own =
                    only(X509ExtendedKeyManager.class, keys.get().getKeyManagers());
            checkOwn(own, isNode);
            return GrpcTlsConfig.newBuilder()
                    .setMutualTls(true)
                    .setKeyManager(own)
                    .setTrustManager(new NodesOnly(
                            only(X509ExtendedTrustManager.class, trusted.get().getTrustManagers()), isNode))
                    .build();
        });
    }

    /** Reads and checks everything, and returns what Ratis wants. */
    GrpcTlsConfig config() {
        return config.get();
    }

    /** A certificate with a limited name is limited, whatever other names it has. */
    private static boolean isNode(X509Certificate certificate, String cluster) {
        List<String> names = names(certificate);
        return names.stream().anyMatch(name -> name.startsWith("georep:" + cluster + "/"))
                && names.stream().noneMatch(name -> name.startsWith("georep-limited:"));
    }

    private static List<String> names(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream()
                            .filter(name -> Integer.valueOf(URI).equals(name.get(0)))
                            .map(name -> String.valueOf(name.get(1)))
                            .toList();
        } catch (CertificateParsingException e) {
            return List.of(); // Names that nobody can read are no names.
        }
    }

    /** The others would not hear this node. */
    private static void checkOwn(X509ExtendedKeyManager keys, Predicate<X509Certificate> isNode) {
        boolean any = false;
        for (String type : KEY_TYPES) {
            String alias = keys.chooseEngineServerAlias(type, null, null);
            X509Certificate[] chain = alias == null ? null : keys.getCertificateChain(alias);
            if (chain != null && chain.length > 0) {
                any = true;
                requireNode(chain[0], "the key manager", isNode);
            }
        }
        if (!any) {
            throw new ConfigurationException(
                    "TLS of the master of views: there is no private key with a certificate of this node");
        }
    }

    private static void requireNode(X509Certificate own, Object where, Predicate<X509Certificate> isNode) {
        if (!isNode.test(own)) {
            throw new ConfigurationException("TLS of the master of views: the certificate in " + where
                    + " is not that of a node of this cluster; its names are " + names(own));
        }
    }

    private static GrpcTlsConfig ofFiles(
            Path key, Path certificates, Path authority, Predicate<X509Certificate> isNode) {
        for (Path file : List.of(key, certificates, authority)) {
            if (!Files.isReadable(file)) {
                throw new ConfigurationException(
                        "TLS of the master of views: " + file + " cannot be read. Check the name and who may read it");
            }
        }
        requireNode(read(certificates).get(0), certificates, isNode);
        return GrpcTlsConfig.newBuilder()
                .setMutualTls(true)
                .setPrivateKey(new TlsConf.PrivateKeyConf(key.toFile()))
                .setKeyCertificates(new TlsConf.CertificatesConf(certificates.toFile()))
                .setTrustManager(new NodesOnly(authorities(authority), isNode))
                .build();
    }

    private static List<X509Certificate> read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (!found.isEmpty()) {
                return found.stream().map(X509Certificate.class::cast).toList();
            }
        } catch (IOException | CertificateException e) {
            throw new ConfigurationException(
                    "TLS of the master of views: " + file + " cannot be used: " + e.getMessage(), e);
        }
        throw new ConfigurationException("TLS of the master of views: there is no certificate in " + file);
    }

    private static X509ExtendedTrustManager authorities(Path authority) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            List<X509Certificate> trusted = read(authority);
            for (int i = 0; i < trusted.size(); i++) {
                store.setCertificateEntry("authority-" + i, trusted.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return only(X509ExtendedTrustManager.class, factory.getTrustManagers());
        } catch (GeneralSecurityException | IOException e) {
            throw new ConfigurationException(
                    "TLS of the master of views: " + authority + " cannot be used: " + e.getMessage(), e);
        }
    }

    private static <T> T only(Class<T> type, Object[] managers) {
        for (Object manager : managers) {
            if (type.isInstance(manager)) {
                return type.cast(manager);
            }
        }
        throw new ConfigurationException(
                "TLS of the master of views: there is no " + type.getSimpleName() + " among what was given");
    }

    /** Trusts certificates of the authorities that are those of nodes; host names prove nothing, as nodes may move. */
    private static final class NodesOnly extends X509ExtendedTrustManager {
        private final X509ExtendedTrustManager authorities;
        private final Predicate<X509Certificate> isNode;

        NodesOnly(X509ExtendedTrustManager authorities, Predicate<X509Certificate> isNode) {
            this.authorities = authorities;
            this.isNode = isNode;
        }

        private void checkNode(X509Certificate[] chain) throws CertificateException {
            boolean known;
            try {
                known = isNode.test(chain[0]);
            } catch (ConfigurationException e) {
                throw new CertificateException("nobody can tell whether the certificate is still good", e);
            }
            if (!known) {
                throw new CertificateException(
                        "not the certificate of a node of this cluster; its names are " + names(chain[0]));
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            authorities.checkClientTrusted(chain, type);
            checkNode(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            authorities.checkServerTrusted(chain, type);
            checkNode(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            checkServerTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            checkServerTrusted(chain, type);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return authorities.getAcceptedIssuers();
        }
    }
}
