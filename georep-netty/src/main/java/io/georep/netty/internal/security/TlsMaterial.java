package io.georep.netty.internal.security;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Keys, certificates, trust and revocations as they were read at one time, and found good. Immutable.
 *
 * @param server for connections that this node accepts
 * @param client for connections that this node dials
 * @param revoked serial numbers
 * @param own what this node shows
 */
record TlsMaterial(SslContext server, SslContext client, Set<BigInteger> revoked, X509Certificate own) {
    private static final String PROTOCOL = "TLSv1.3";
    private static final List<String> KEY_TYPES = List.of("EC", "RSA", "EdDSA", "RSASSA-PSS");
    private static final String FOR_SERVERS = "1.3.6.1.5.5.7.3.1";
    private static final String FOR_CLIENTS = "1.3.6.1.5.5.7.3.2";

    /**
     * Reads everything.
     *
     * @throws ConfigurationException if something cannot be read, or if the other nodes would not take this node's certificate
     */
    static TlsMaterial read(TlsSetup setup, NameRule names, NodeId self) {
        KeyManagerFactory keys = setup.source().keys();
        X509Certificate own = check(keys, names, self);
        Set<BigInteger> revoked = revoked(setup);
        SslProvider provider = provider(setup.openSsl());
        try {
            SslContext server = SslContextBuilder.forServer(keys)
                    .sslProvider(provider)
                    .trustManager(setup.source().trust())
                    .clientAuth(ClientAuth.REQUIRE)
                    .protocols(PROTOCOL)
                    .build();
            // Which host a node runs on proves nothing about it: NameRule takes the place of the host's name.
            SslContext client = SslContextBuilder.forClient()
                    .sslProvider(provider)
                    .keyManager(keys)
                    .trustManager(setup.source().trust())
                    .endpointIdentificationAlgorithm(null)
                    .protocols(PROTOCOL)
                    .build();
            return new TlsMaterial(server, client, revoked, own);
        } catch (SSLException | IllegalArgumentException e) {
            throw new ConfigurationException("TLS: key or certificates cannot be used: " + e.getMessage(), e);
        }
    }

    /** Returns the same with this list of serial numbers. */
    TlsMaterial withRevoked(Set<BigInteger> serials) {
        return new TlsMaterial(server, client, serials, own);
    }

    /**
     * Reads the list of revoked certificates.
     *
     * @throws ConfigurationException if it cannot be read
     */
    static Set<BigInteger> revoked(TlsSetup setup) {
        Path list = setup.revoked();
        return list == null ? Set.of() : revoked(list);
    }

    /** Returns which implementation is used. */
    static SslProvider provider(boolean openSsl) {
        return openSsl && OpenSsl.isAvailable() && SslProvider.isTlsv13Supported(SslProvider.OPENSSL)
                ? SslProvider.OPENSSL
                : SslProvider.JDK;
    }

    /** Returns what this node would show, if all nodes would believe it. */
    private static X509Certificate check(KeyManagerFactory keys, NameRule names, NodeId self) {
        X509Certificate last = null;
        for (Map.Entry<X509Certificate, PrivateKey> shown : shown(keys).entrySet()) {
            last = shown.getKey();
            check(last, shown.getValue(), names, self);
        }
        if (last == null) {
            throw new ConfigurationException(
                    "TLS: there is no private key with a certificate: give this node the key and the certificate of its own");
        }
        return last;
    }

    private static Map<X509Certificate, PrivateKey> shown(KeyManagerFactory keys) {
        Map<X509Certificate, PrivateKey> shown = new LinkedHashMap<>();
        for (KeyManager manager : keys.getKeyManagers()) {
            if (manager instanceof X509ExtendedKeyManager own) {
                for (String type : KEY_TYPES) {
                    String alias = own.chooseEngineServerAlias(type, null, null);
                    X509Certificate[] chain = alias == null ? null : own.getCertificateChain(alias);
                    PrivateKey key = alias == null ? null : own.getPrivateKey(alias);
                    if (chain != null && chain.length > 0 && key != null) {
                        shown.put(chain[0], key);
                    }
                }
            }
        }
        return shown;
    }

    private static void check(X509Certificate own, PrivateKey key, NameRule names, NodeId self) {
        String description = "TLS: " + NameRule.describe(own);
        if (!names.nodes(own).contains(self.value())) {
            throw new ConfigurationException(
                    description + ", is not one of this node: it needs the subject alternative name "
                            + names.expected(self.value()));
        }
        try {
            own.checkValidity();
            List<String> uses = own.getExtendedKeyUsage();
            if (uses != null && !(uses.contains(FOR_SERVERS) && uses.contains(FOR_CLIENTS))) {
                throw new ConfigurationException(description
                        + ", must be good for servers and for clients, because a node is both: set the extended"
                        + " key usage to serverAuth, clientAuth");
            }
        } catch (CertificateException e) {
            throw new ConfigurationException(
                    description + ", is not valid now: " + e.getMessage() + "; renew it, or correct the clock", e);
        }
        if (!fit(own.getPublicKey(), key)) {
            throw new ConfigurationException(
                    description + ", does not belong to the private key: replace both files together");
        }
    }

    private static boolean fit(PublicKey verifying, PrivateKey signing) {
        String algorithm = switch (verifying.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            case "EdDSA" -> "EdDSA";
            default -> null;
        };
        if (algorithm == null) {
            return true;
        }
        try {
            byte[] sample = "sample".getBytes(StandardCharsets.US_ASCII);
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(signing);
            signature.update(sample);
            byte[] signed = signature.sign();
            signature.initVerify(verifying);
            signature.update(sample);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** One serial number per line, in hexadecimal digits, as {@code openssl x509 -noout -serial} writes it. */
    private static Set<BigInteger> revoked(Path file) {
        return TlsSource.reading("list of revoked certificates", file, bytes -> {
            Set<BigInteger> serials = new HashSet<>();
            int number = 0;
            for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
                number++;
                BigInteger serial = serial(line, number);
                if (serial != null) {
                    serials.add(serial);
                }
            }
            return Set.copyOf(serials);
        });
    }

    private static @Nullable BigInteger serial(String line, int number) {
        int comment = line.indexOf('#');
        String digits = (comment < 0 ? line : line.substring(0, comment))
                .strip()
                .toLowerCase(Locale.ROOT)
                .replaceFirst("^serial=", "")
                .replaceFirst("^0x", "")
                .replace(":", "");
        if (digits.isEmpty()) {
            return null;
        }
        if (!digits.matches("[0-9a-f]+")) {
            throw new IllegalArgumentException("line " + number
                    + " is not a serial number: write one per line, in hexadecimal digits, as 'openssl x509 -noout"
                    + " -serial' does");
        }
        return new BigInteger(digits, 16);
    }
}
