package io.georep.funnel.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.Key;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Peers that prove who they are, and one that cannot. */
@Tag("servers")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RatisTlsTest {
    @TempDir
    private Path directory;

    @Test
    void nodesOfTheClusterAreHeardAndOthersAreNot() throws Exception {
        make("node", "uri:georep:prod/a");
        make("limited", "uri:georep-limited:prod/a");
        Path trusted = Files.writeString(
                directory.resolve("trusted.pem"),
                Files.readString(directory.resolve("node.pem")) + Files.readString(directory.resolve("limited.pem")));
        RatisTls node = tls("node", trusted);
        RatisTls stranger = RatisTls.pem(
                directory.resolve("limited.key"), directory.resolve("limited.pem"), trusted, certificate -> true);
        assertThatThrownBy(() -> tls("limited", trusted).config())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("is not that of a node of this cluster", "georep-limited:prod/a");

        try (Masters masters = new Masters(directory, "a", "b")) {
            Masters.Node a = masters.start("a", 1, 0, masters.settings().tls(node));
            Masters.Node b = masters.start("b", 1, 0, masters.settings().tls(node));
            masters.await("the first view", () -> a.serves(1, "a", "b") && b.serves(1, "a", "b"));

            Masters.Node limited = masters.start("d", 1, 0, masters.settings().tls(stranger));
            masters.await("its failure", () -> limited.failure != null);
            Masters.Node plain = masters.start("e", 1, 0, masters.settings());
            masters.await("its failure", () -> plain.failure != null);
            assertThat(limited.view).isNull();
            assertThat(plain.view).isNull();
            long asked = a.grantedAsk;
            masters.await("a lease", () -> a.grantedAsk > asked);
        }
    }

    @Test
    void newCertificatesAreUsedForNewConnections() throws Exception {
        make("node", "uri:georep:prod/a");
        make("newer", "uri:georep:prod/a");
        Path trusted = directory.resolve("trusted.pem");
        Path newer = directory.resolve("newer.pem");
        Files.copy(directory.resolve("node.pem"), trusted);
        RatisTls node = tls("node", trusted).readAgain(Duration.ZERO);
        try (Masters masters = new Masters(directory, "a", "b")) {
            Masters.Node a = masters.start("a", 1, 0, masters.settings().tls(node));
            Masters.Node b = masters.start("b", 1, 0, masters.settings().tls(node));
            masters.await("answers", () -> isAnswered(a) && isAnswered(b));
            Masters.Node tooEarly = masters.start("d", 1, 0, masters.settings().tls(tls("newer", newer)));
            masters.await("its failure", () -> tooEarly.failure != null);
            assertThat(tooEarly.view).isNull();
            tooEarly.close();

            Files.writeString(trusted, Files.readString(newer), StandardOpenOption.APPEND);
            replace(directory.resolve("newer.key"), "node.key");
            replace(newer, "node.pem");

            Masters.Node later = masters.start("d", 2, 0, masters.settings().tls(tls("newer", newer)));
            masters.await("answers for all", () -> isAnswered(later) && isAnswered(a) && isAnswered(b));
        }
    }

    private static boolean isAnswered(Masters.Node node) {
        return node.failure == null && node.view != null;
    }

    private void replace(Path by, String name) throws IOException {
        Files.copy(by, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    private RatisTls tls(String name, Path trusted) {
        return RatisTls.pem(directory.resolve(name + ".key"), directory.resolve(name + ".pem"), trusted, "prod");
    }

    /** With the JDK's own tool, a key and a certificate that it signs itself, as PEM. */
    private void make(String name, String alternative) throws Exception {
        Path store = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=" + alternative,
                        "-keystore",
                        store.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "secret")
                .redirectErrorStream(true)
                .start();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        keytool.getInputStream().transferTo(said);
        assertThat(keytool.waitFor()).as(said::toString).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "secret".toCharArray());
        }
        Key key = keys.getKey("it", "secret".toCharArray());
        pem(name + ".key", "PRIVATE KEY", key.getEncoded());
        pem(name + ".pem", "CERTIFICATE", keys.getCertificate("it").getEncoded());
    }

    private void pem(String file, String what, byte[] der) throws Exception {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        Files.write(
                directory.resolve(file), List.of("-----BEGIN " + what + "-----", body, "-----END " + what + "-----"));
    }
}
