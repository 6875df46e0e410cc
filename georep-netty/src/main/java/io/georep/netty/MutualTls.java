package io.georep.netty;

import io.georep.model.ConfigurationException;
import io.georep.netty.internal.security.NameRule;
import io.georep.netty.internal.security.TlsSetup;
import io.georep.netty.internal.security.TlsSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS 1.3 between nodes, with a certificate of each of them. Give it to {@link NettyTransportConfig.Builder#tls}. Then a
 * transport takes and makes no other connections.
 *
 * <p>A certificate says for which node it is, by the subject alternative name {@code URI:georep:<cluster>/<node>}, or by a
 * DNS name ({@link Builder#dnsNames}). Both sides of a connection check that the other side is the node as which it presents
 * itself. The name of the host does not count. With {@code URI:georep-limited:<cluster>/<node>} instead ({@link
 * Builder#limitedDnsNames}), the node is a member that may not decide over other nodes. Every certificate must be good for servers and for clients.
 *
 * <p>Files are looked at from time to time ({@link Builder#checkEvery}), and {@link #reload} reads them at once. New connections
 * use what was read last; those that exist stay. If what was read cannot be used, what was in force before stays in force, and
 * {@link #problem} and the log say why. Only the links of {@link Builder#revoked revoked} certificates are closed.
 *
 * <p>OpenSSL is used if {@code netty-tcnative} is on the class path. Thread-safe; several transports may share one object if
 * their nodes have the same name.
 */
public final class MutualTls {
    private final TlsSetup setup;

    private MutualTls(TlsSetup setup) {
        this.setup = setup;
    }

    /**
     * Takes key and certificates from PEM files.
     *
     * @param key the node's private key, {@code BEGIN PRIVATE KEY}
     * @param certificates the node's certificate, then those of intermediate authorities
     * @param trusted the certificates of the authorities that sign the certificates of nodes
     */
    public static Builder pem(Path key, Path certificates, Path trusted) {
        return new Builder(new TlsSource.PemFiles(key, null, certificates, trusted));
    }

    /** Like {@link #pem(Path, Path, Path)}, with an encrypted key, {@code BEGIN ENCRYPTED PRIVATE KEY}, and its password. */
    public static Builder pem(Path key, char[] keyPassword, Path certificates, Path trusted) {
        return new Builder(new TlsSource.PemFiles(key, keyPassword.clone(), certificates, trusted));
    }

    /**
     * Takes key and certificates from key stores, PKCS12 or JKS. They may be one file.
     *
     * @param keys the node's private key with its certificates, and no other key
     * @param keysPassword of this store and of the key in it
     * @param trusted the certificates of the authorities that sign the certificates of nodes
     * @param trustedPassword of that store
     */
    public static Builder keyStores(Path keys, char[] keysPassword, Path trusted, char[] trustedPassword) {
        return new Builder(new TlsSource.KeyStoreFiles(keys, keysPassword.clone(), trusted, trustedPassword.clone()));
    }

    /**
     * Takes key and certificates from whoever keeps them. The suppliers are asked at the start and at each {@link #reload}.
     *
     * @param keys has the node's private key with its certificates
     * @param trusted knows the authorities that sign the certificates of nodes
     */
    public static Builder managers(Supplier<KeyManagerFactory> keys, Supplier<TrustManagerFactory> trusted) {
        return new Builder(new TlsSource.Factories(keys, trusted));
    }

    /**
     * Reads everything anew and uses it for new connections. Waits for the files, but not for connections. Does nothing while no
     * transport uses this object.
     *
     * @throws ConfigurationException if what is there now cannot be used. Then what was in force before stays in force
     */
    public void reload() {
        setup.reload();
    }

    /** Returns why the latest change of the files is not in force; null if it is. */
    public @Nullable String problem() {
        return setup.problem();
    }

    TlsSetup setup() {
        return setup;
    }

    /** Collects settings. Each setter returns the builder. */
    public static final class Builder {
        private static final Duration SHORTEST = Duration.ofMillis(100);
        private static final Duration LONGEST = Duration.ofDays(1);

        private final TlsSource source;
        private @Nullable String dnsNames;
        private @Nullable String limitedDnsNames;
        private @Nullable Path revoked;
        private Duration checkEvery = Duration.ofSeconds(30);
        private boolean openSsl = true;

        private Builder(TlsSource source) {
            this.source = source;
        }

        /**
         * Makes DNS names, instead of URIs, say which node a certificate is for.
         *
         * @param value name with {@code {node}} in it, and perhaps {@code {cluster}}, such as {@code
         *     {node}.georep.example.com}. It is compared as it is written, capitals included
         */
        public Builder dnsNames(String value) {
            dnsNames = value;
            return this;
        }

        /**
         * Makes DNS names say which node a limited certificate is for. Needs {@link #dnsNames}. A certificate with such
         * a name is limited, whatever other names it has.
         *
         * @param value like that of {@link #dnsNames}; no name may fit both
         */
        public Builder limitedDnsNames(String value) {
            limitedDnsNames = value;
            return this;
        }

        /**
         * Sets a file with the serial numbers of certificates that are no longer good, in hexadecimal digits, one per
         * line; {@code #} starts a comment. The file must exist, and may be empty.
         */
        public Builder revoked(Path value) {
            revoked = value;
            return this;
        }

        /**
         * Sets how often the files are read to see whether they changed: 100 ms to 1 day, or zero for never; default 30
         * s.
         */
        public Builder checkEvery(Duration value) {
            checkEvery = value;
            return this;
        }

        /**
         * Sets whether OpenSSL is used instead of the TLS of the JVM if {@code netty-tcnative} is on the class path;
         * default true.
         */
        public Builder openSsl(boolean value) {
            openSsl = value;
            return this;
        }

        /**
         * Returns the settings. The files are read when a transport starts.
         *
         * @throws ConfigurationException if a setting is not valid
         */
        public MutualTls build() {
            if (!checkEvery.isZero() && (checkEvery.compareTo(SHORTEST) < 0 || checkEvery.compareTo(LONGEST) > 0)) {
                throw new ConfigurationException(
                        "checkEvery is " + checkEvery + ", allowed are 100 ms to 1 day, or zero for never");
            }
            if (dnsNames != null) {
                NameRule.check(dnsNames);
            }
            if (limitedDnsNames != null) {
                NameRule.check(limitedDnsNames);
                if (dnsNames == null) {
                    throw new ConfigurationException(
                            "limitedDnsNames is '" + limitedDnsNames + "' without dnsNames: set"
                                    + " dnsNames, too, or use URIs that begin with georep-limited: in limited certificates");
                }
            }
            return new MutualTls(
                    new TlsSetup(source, dnsNames, limitedDnsNames, revoked, checkEvery.toNanos(), openSsl));
        }
    }
}
