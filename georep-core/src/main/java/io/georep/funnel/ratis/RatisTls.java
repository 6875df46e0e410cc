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
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.security.TlsConf;

/**
 * Mutual TLS between the nodes and the peers of the master, with the certificates that the nodes have for their links. The files are read
 * when the node starts.
 *
 * @param key private key of this node, PEM, not encrypted ({@code BEGIN PRIVATE KEY})
 * @param certificates its certificate, and those between it and the authority, PEM
 * @param authority certificates of the authorities that are trusted, PEM
 * @param isNode whether a certificate of these authorities is that of a node of this cluster. The name of the host is not checked
 */
public record RatisTls(Path key, Path certificates, Path authority, Predicate<X509Certificate> isNode) {
    private static final int URI = 6;

    /**
     * Returns the protection for nodes whose certificates have the name {@code URI:georep:<cluster>/<node>}. A limited certificate
     * is refused: whoever reaches a peer can decide over others.
     *
     * @param cluster name of the cluster
     */
    public static RatisTls pem(Path key, Path certificates, Path authority, String cluster) {
        return new RatisTls(
                key,
                certificates,
                authority,
                certificate ->
                        names(certificate).stream().anyMatch(name -> name.startsWith("georep:" + cluster + "/")));
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

    /** Checks the files and returns what Ratis wants. */
    GrpcTlsConfig config() {
        for (Path file : List.of(key, certificates, authority)) {
            if (!Files.isReadable(file)) {
                throw new ConfigurationException(
                        "TLS of the master of views: " + file + " cannot be read. Check the name and who may read it");
            }
        }
        List<X509Certificate> own = read(certificates);
        if (!isNode.test(own.get(0))) {
            throw new ConfigurationException("TLS of the master of views: the certificate in " + certificates
                    + " is not that of a node of this cluster; its names are " + names(own.get(0)));
        }
        return GrpcTlsConfig.newBuilder()
                .setMutualTls(true)
                .setPrivateKey(new TlsConf.PrivateKeyConf(key.toFile()))
                .setKeyCertificates(new TlsConf.CertificatesConf(certificates.toFile()))
                .setTrustManager(new NodesOnly(authorities(), isNode))
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

    private X509ExtendedTrustManager authorities() {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            List<X509Certificate> trusted = read(authority);
            for (int i = 0; i < trusted.size(); i++) {
                store.setCertificateEntry("authority-" + i, trusted.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509ExtendedTrustManager extended) {
                    return extended;
                }
            }
        } catch (GeneralSecurityException | IOException e) {
            throw new ConfigurationException(
                    "TLS of the master of views: " + authority + " cannot be used: " + e.getMessage(), e);
        }
        throw new ConfigurationException(
                "TLS of the master of views: this Java has no manager of trusted certificates");
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
            if (!isNode.test(chain[0])) {
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
