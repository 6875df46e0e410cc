package io.georep.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.netty.Authority;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node takes for its TLS, and what it refuses with the reason. */
class TlsMaterialTest {
    private static final NodeId SELF = NodeId.of("ams-1");
    private static final String NAME = "georep:georep/ams-1";
    private static final char[] PASSWORD = "between the two of us".toCharArray();
    private static final Authority AUTHORITY = new Authority("tests");

    @TempDir
    Path directory;

    private Path revoked;

    private TlsMaterial read(TlsSource source) {
        return TlsMaterial.read(
                new TlsSetup(source, null, null, revoked, 0, false), NameRule.of("georep", null, null), SELF);
    }

    private TlsSource.PemFiles pem() {
        return new TlsSource.PemFiles(
                directory.resolve("key.pem"), null, directory.resolve("node.pem"), directory.resolve("trusted.pem"));
    }

    private TlsMaterial readPem(X509Bundle own) throws Exception {
        Authority.write(directory, own, AUTHORITY);
        return read(pem());
    }

    private AbstractThrowableAssert<?, ?> assertRefused(TlsSource source) {
        return assertThatThrownBy(() -> read(source)).isInstanceOf(ConfigurationException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"ecp256", "ecp384", "rsa2048", "ed25519"})
    void readsPemFilesWithKeysOfAllUsualKinds(Algorithm algorithm) throws Exception {
        X509Bundle own = AUTHORITY.sign(builder -> {
            builder.algorithm(algorithm);
            builder.addSanUriName(java.net.URI.create(NAME));
        });

        assertThat(readPem(own).own()).isEqualTo(own.getCertificate());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PKCS12", "JKS"})
    void readsKeyStores(String format) throws Exception {
        X509Bundle own = AUTHORITY.sign(NAME);
        Path keys = store(format, own);

        assertThat(read(new TlsSource.KeyStoreFiles(keys, PASSWORD, keys, PASSWORD))
                        .own())
                .isEqualTo(own.getCertificate());
        assertRefused(new TlsSource.KeyStoreFiles(keys, "wrong".toCharArray(), keys, PASSWORD))
                .hasMessageContaining(keys.toString())
                .hasMessageContaining("password");
    }

    private Path store(String format, X509Bundle own) throws Exception {
        KeyStore store = KeyStore.getInstance(format);
        store.load(null, null);
        store.setKeyEntry("node", own.getKeyPair().getPrivate(), PASSWORD, own.getCertificatePath());
        store.setCertificateEntry("authority", AUTHORITY.certificate());
        Path file = directory.resolve("store");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD);
        }
        return file;
    }

    @Test
    void aStoreWithoutAKeyIsRefused() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("authority", AUTHORITY.certificate());
        Path file = directory.resolve("store");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD);
        }

        assertRefused(new TlsSource.KeyStoreFiles(file, PASSWORD, file, PASSWORD))
                .hasMessageContaining("no private key with a certificate");
    }

    @Test
    void aCertificateOfAnotherNodeIsRefused() {
        assertThatThrownBy(() -> readPem(AUTHORITY.sign("georep:georep/ams-2", "georep:staging/ams-1")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("for georep:georep/ams-2, georep:staging/ams-1")
                .hasMessageContaining("needs the subject alternative name URI:georep:georep/ams-1");
    }

    @Test
    void aCertificateThatIsNotValidNowIsRefused() {
        assertThatThrownBy(() -> readPem(valid(-10, -1)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("not valid now")
                .hasMessageContaining("renew it");
        assertThatThrownBy(() -> readPem(valid(1, 10))).hasMessageContaining("not valid now");
    }

    private static X509Bundle valid(int fromDays, int toDays) {
        return AUTHORITY.sign(builder -> {
            builder.addSanUriName(java.net.URI.create(NAME));
            builder.notBefore(Instant.now().plus(fromDays, ChronoUnit.DAYS));
            builder.notAfter(Instant.now().plus(toDays, ChronoUnit.DAYS));
        });
    }

    @Test
    void aCertificateThatIsGoodForServersOnlyIsRefused() {
        X509Bundle own = AUTHORITY.sign(
                builder -> builder.addSanUriName(java.net.URI.create(NAME)), ExtendedKeyUsage.PKIX_KP_SERVER_AUTH);

        assertThatThrownBy(() -> readPem(own)).hasMessageContaining("serverAuth, clientAuth");
    }

    /** As when one of the two files has been replaced and the other not yet. */
    @Test
    void aKeyOfAnotherCertificateIsRefused() throws Exception {
        Authority.write(directory, AUTHORITY.sign(NAME), AUTHORITY);
        Files.writeString(directory.resolve("key.pem"), AUTHORITY.sign(NAME).getPrivateKeyPEM());

        assertRefused(pem()).hasMessageContaining("does not belong to the private key");
    }

    @Test
    void filesThatCannotBeReadAreNamed() throws Exception {
        Authority.write(directory, AUTHORITY.sign(NAME), AUTHORITY);
        for (String name : new String[] {"key.pem", "node.pem", "trusted.pem"}) {
            Path file = directory.resolve(name);
            String good = Files.readString(file);
            Files.writeString(file, "nothing of the kind");
            assertRefused(pem()).hasMessageContaining(file.toString());
            Files.delete(file);
            assertRefused(pem()).hasMessageContaining(file + ": there is no such file");
            Files.writeString(file, good);
        }
    }

    @Test
    void serialNumbersAreReadAsOpensslWritesThem() throws Exception {
        revoked = directory.resolve("revoked.txt");
        Files.writeString(
                revoked,
                "# stolen on 2026-01-02\r\nserial=0A1B\r\n\r\n 00:ff # spare machine\n0x10\n7FFFFFFFFFFFFFFFFFFF\n");

        assertThat(readPem(AUTHORITY.sign(NAME)).revoked())
                .isEqualTo(Set.of(
                        BigInteger.valueOf(0xa1b),
                        BigInteger.valueOf(255),
                        BigInteger.valueOf(16),
                        new BigInteger("7fffffffffffffffffff", 16)));
    }

    @Test
    void aLineThatIsNoSerialNumberIsRefused() throws Exception {
        revoked = directory.resolve("revoked.txt");
        Files.writeString(revoked, "0A\nams-2\n");

        assertThatThrownBy(() -> readPem(AUTHORITY.sign(NAME)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("revoked.txt")
                .hasMessageContaining("line 2");
    }
}
