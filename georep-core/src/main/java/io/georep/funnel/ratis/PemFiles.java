package io.georep.funnel.ratis;

import io.georep.model.ConfigurationException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * Key, certificates and authorities in files; each call reads anew.
 *
 * @param key private key of this node, not encrypted
 * @param certificates its certificate, and those between it and the authority
 * @param authority certificates of the authorities that are trusted
 */
record PemFiles(Path key, Path certificates, Path authority) {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final char[] IN_MEMORY = {};

    /**
     * Returns the private key with its certificates.
     *
     * @throws ConfigurationException if there is none in the files
     */
    KeyManagerFactory keys() {
        requireReadable(key);
        List<Certificate> chain = read(certificates, PemFiles::certificates);
        String algorithm = chain.get(0).getPublicKey().getAlgorithm();
        return read(key, text -> {
            KeyStore store = empty();
            store.setKeyEntry("node", privateKey(text, algorithm), IN_MEMORY, chain.toArray(Certificate[]::new));
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, IN_MEMORY);
            return factory;
        });
    }

    /**
     * Returns the authorities.
     *
     * @throws ConfigurationException if there is none in the file
     */
    TrustManagerFactory authorities() {
        return read(authority, text -> {
            KeyStore store = empty();
            for (Certificate certificate : certificates(text)) {
                store.setCertificateEntry("authority-" + store.size(), certificate);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory;
        });
    }

    /** Makes something of a text. */
    @FunctionalInterface
    private interface Reader<T> {
        T read(byte[] text) throws GeneralSecurityException, IOException;
    }

    private static <T> T read(Path file, Reader<T> reader) {
        requireReadable(file);
        try {
            return reader.read(Files.readAllBytes(file));
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            throw new ConfigurationException(
                    "TLS of the master of views: " + file + " cannot be used: " + e.getMessage(), e);
        }
    }

    private static void requireReadable(Path file) {
        if (!Files.isReadable(file)) {
            throw new ConfigurationException(
                    "TLS of the master of views: " + file + " cannot be read. Check the name and who may read it");
        }
    }

    private static List<Certificate> certificates(byte[] text) throws GeneralSecurityException {
        List<Certificate> found = new ArrayList<>(
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(text)));
        if (found.isEmpty()) {
            throw new GeneralSecurityException("there is no certificate in it");
        }
        return found;
    }

    private static PrivateKey privateKey(byte[] text, String algorithm) throws GeneralSecurityException {
        Matcher matcher = KEY.matcher(new String(text, StandardCharsets.ISO_8859_1));
        if (!matcher.find()) {
            throw new GeneralSecurityException("there is no -----BEGIN PRIVATE KEY----- in it. Write it anew with"
                    + " 'openssl pkcs8 -topk8 -nocrypt'");
        }
        byte[] bytes = Base64.getMimeDecoder().decode(matcher.group(1));
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }
}
