package io.georep.funnel.ratis;

import io.georep.model.ConfigurationException;
import java.nio.file.Path;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.ratis.grpc.GrpcTlsConfig;

/**
 * Mutual TLS between the nodes and the peers of the master, with the certificates that the nodes have for their links. They are read
 * when the node starts, and again when a connection begins and the last time was 30 seconds ago. Connections that stand are not
 * touched. If something cannot be read then, what was read before stays in use, and the log says so. The name of the host is not
 * checked: nodes may move.
 */
public final class RatisTls {
    private static final int URI = 6;
    private static final String[] KEY_TYPES = {"EC", "RSA", "EdDSA", "RSASSA-PSS"};
    private static final Duration READ_AGAIN = Duration.ofSeconds(30);

    private final Supplier<X509ExtendedKeyManager> keys;
    private final Supplier<X509ExtendedTrustManager> authorities;
    private final Predicate<X509Certificate> isNode;
    private final Duration readAgain;

    private RatisTls(
            Supplier<X509ExtendedKeyManager> keys,
            Supplier<X509ExtendedTrustManager> authorities,
            Predicate<X509Certificate> isNode,
            Duration readAgain) {
        this.keys = keys;
        this.authorities = authorities;
        this.isNode = isNode;
        this.readAgain = readAgain;
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
        PemFiles files = new PemFiles(key, certificates, authority);
        return managers(files::keys, files::authorities, isNode);
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
        return new RatisTls(
                () -> {
                    X509ExtendedKeyManager own =
                            only(X509ExtendedKeyManager.class, keys.get().getKeyManagers());
                    checkOwn(own, isNode);
                    return own;
                },
                () -> only(X509ExtendedTrustManager.class, trusted.get().getTrustManagers()),
                isNode,
                READ_AGAIN);
    }

    /** The same, read again at other times. */
    RatisTls readAgain(Duration atMostEvery) {
        return new RatisTls(keys, authorities, isNode, atMostEvery);
    }

    /** Reads and checks everything, and returns what Ratis wants. */
    GrpcTlsConfig config() {
        return GrpcTlsConfig.newBuilder()
                .setMutualTls(true)
                .setKeyManager(new RenewedKeys(new Renewed<>("key and certificates", keys, readAgain)))
                .setTrustManager(new NodesOnly(new Renewed<>("trusted authorities", authorities, readAgain), isNode))
                .build();
    }

    /** A certificate with a limited name is limited, whatever other names it has. */
    private static boolean isNode(X509Certificate certificate, String cluster) {
        List<String> names = names(certificate);
        return names.stream().anyMatch(name -> name.startsWith("georep:" + cluster + "/"))
                && names.stream().noneMatch(name -> name.startsWith("georep-limited:"));
    }

    static List<String> names(X509Certificate certificate) {
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
                requireNode(chain[0], isNode);
            }
        }
        if (!any) {
            throw new ConfigurationException(
                    "TLS of the master of views: there is no private key with a certificate of this node");
        }
    }

    private static void requireNode(X509Certificate own, Predicate<X509Certificate> isNode) {
        if (!isNode.test(own)) {
            throw new ConfigurationException("TLS of the master of views: the certificate of this node is not that of a"
                    + " node of this cluster; its names are " + names(own));
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
}
