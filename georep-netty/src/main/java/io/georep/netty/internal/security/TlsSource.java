package io.georep.netty.internal.security;

import io.georep.logging.SafeLog;
import io.georep.model.ConfigurationException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Where key, certificates and trust come from. Each call reads anew, and throws with the file's name if that fails. */
public sealed interface TlsSource {
    /** Returns the files that this comes from; none if it does not come from files. */
    List<Path> files();

    /** Returns this node's private key with its certificates. */
    KeyManagerFactory keys();

    /** Returns the authorities that are trusted. */
    TrustManagerFactory trust();

    /** PEM files; the password is null if the key is not encrypted. */
    record PemFiles(Path key, char @Nullable [] password, Path certificates, Path trusted) implements TlsSource {
        @Override
        public List<Path> files() {
            return List.of(key, certificates, trusted);
        }

        @Override
        public KeyManagerFactory keys() {
            List<X509Certificate> chain = reading("certificates", certificates, Pem::certificates);
            PrivateKey own = reading(
                    "private key",
                    key,
                    bytes -> Pem.privateKey(bytes, chain.get(0).getPublicKey().getAlgorithm(), password));
            return reading("private key", key, bytes -> {
                KeyStore store = empty();
                char[] inMemory = {};
                store.setKeyEntry("node", own, inMemory, chain.toArray(Certificate[]::new));
                return keyManagers(store, inMemory);
            });
        }

        @Override
        public TrustManagerFactory trust() {
            return reading("trusted certificates", trusted, bytes -> {
                KeyStore store = empty();
                int number = 0;
                for (X509Certificate certificate : Pem.certificates(bytes)) {
                    store.setCertificateEntry("trusted-" + number++, certificate);
                }
                return trustManagers(store);
            });
        }
    }

    /** Key stores in a format that the JVM knows, which it takes from the file's content. */
    record KeyStoreFiles(Path keyStore, char[] keyPassword, Path trustStore, char[] trustPassword)
            implements TlsSource {
        @Override
        public List<Path> files() {
            return keyStore.equals(trustStore) ? List.of(keyStore) : List.of(keyStore, trustStore);
        }

        @Override
        public KeyManagerFactory keys() {
            return reading("key store", keyStore, bytes -> keyManagers(load(bytes, keyPassword), keyPassword));
        }

        @Override
        public TrustManagerFactory trust() {
            return reading("trust store", trustStore, bytes -> {
                KeyStore store = load(bytes, trustPassword);
                if (store.size() == 0) {
                    throw new GeneralSecurityException("it is empty");
                }
                return trustManagers(store);
            });
        }
    }

    /** What somebody else keeps ready. */
    record Factories(Supplier<KeyManagerFactory> keySupplier, Supplier<TrustManagerFactory> trustSupplier)
            implements TlsSource {
        @Override
        public List<Path> files() {
            return List.of();
        }

        @Override
        public KeyManagerFactory keys() {
            return supplied("private key and certificates", keySupplier);
        }

        @Override
        public TrustManagerFactory trust() {
            return supplied("trusted certificates", trustSupplier);
        }

        private static <T> T supplied(String what, Supplier<T> supplier) {
            try {
                return supplier.get();
            } catch (ConfigurationException e) {
                throw e;
            } catch (RuntimeException e) {
                throw new ConfigurationException("TLS: the " + what + " cannot be had: " + SafeLog.text(e), e);
            }
        }
    }

    /** Makes something of the content of a file. */
    @FunctionalInterface
    interface Reader<T> {
        T read(byte[] bytes) throws GeneralSecurityException, IOException;
    }

    /** Reads a file, and says what it was for if that fails. */
    static <T> T reading(String what, Path file, Reader<T> reader) {
        try {
            return reader.read(Files.readAllBytes(file));
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            String problem = e instanceof java.nio.file.NoSuchFileException
                    ? "there is no such file"
                    : e.getClass().getSimpleName() + ", " + e.getMessage();
            throw new ConfigurationException("TLS: the " + what + " cannot be read from " + file + ": " + problem, e);
        }
    }

    /** Never leaves memory. One of PKCS12 would take 0.1 to 0.2 s of a processor to encrypt the key, and to decrypt it again. */
    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        return store;
    }

    private static KeyStore load(byte[] bytes, char[] password) throws GeneralSecurityException, IOException {
        // 0xfeedfeed starts a JKS file; all others of today are PKCS12.
        boolean jks = bytes.length > 1 && (bytes[0] & 0xff) == 0xfe && (bytes[1] & 0xff) == 0xed;
        KeyStore store = KeyStore.getInstance(jks ? "JKS" : "PKCS12");
        store.load(new ByteArrayInputStream(bytes), password);
        return store;
    }

    private static KeyManagerFactory keyManagers(KeyStore store, char[] password) throws GeneralSecurityException {
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, password);
        return factory;
    }

    private static TrustManagerFactory trustManagers(KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory;
    }
}
