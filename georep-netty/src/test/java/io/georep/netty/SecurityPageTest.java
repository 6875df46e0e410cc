package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.georep.model.NodeId;
import io.georep.spi.EncryptionKeyFile;
import io.georep.spi.EncryptionKeys;
import io.georep.spi.Transport;
import io.georep.spi.TransportFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/operate/security.md make what nodes take. */
@Timeout(60)
class SecurityPageTest extends TransportFixture {
    private static final Path PAGE = Path.of("..", "docs", "operate", "security.md");
    private static final Pattern COMMANDS = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");
    private static final NodeId NYC = NodeId.of("nyc-1");
    private static final NodeId AMS = NodeId.of("ams-1");

    @TempDir
    Path directory;

    private NodeId next = NYC;

    /** A machine with only a JDK need not have openssl, whose commands these are. Where CI runs, it is installed. */
    @BeforeAll
    static void opensslIsHere() {
        assumeTrue(
                System.getenv("CI") != null || isHere("openssl"),
                "there is no openssl to run the commands of the page with: install it, or see .ci/install");
    }

    private static boolean isHere(String program) {
        try {
            Process started = new ProcessBuilder(program, "version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return started.waitFor(30, TimeUnit.SECONDS) && started.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    protected Transport newTransport() {
        return new NettyTransport(NettyTransportConfig.builder()
                .cluster("prod")
                .tls(MutualTls.pem(
                                directory.resolve(next + ".key"),
                                directory.resolve(next + ".pem"),
                                directory.resolve("authority.pem"))
                        .revoked(directory.resolve("revoked.txt"))
                        .build())
                .build());
    }

    private void run(String commands) throws IOException, InterruptedException {
        Path output = directory.resolve("output.txt");
        Process shell = new ProcessBuilder("sh", "-e", "-c", commands)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(shell.waitFor(30, TimeUnit.SECONDS)).as("it ends").isTrue();
        assertThat(shell.exitValue()).as(Files.readString(output)).isZero();
    }

    /** The commands of the page in which this word stands, block by block. */
    private static List<String> blocks(String word) throws IOException {
        return COMMANDS.matcher(Files.readString(PAGE))
                .results()
                .map(MatchResult::group)
                .map(block -> block.substring("```sh\n".length(), block.length() - "```".length()))
                .filter(block -> block.contains(word))
                .toList();
    }

    @Test
    void theCommandMakesASecret() throws Exception {
        List<String> blocks = blocks("> secret");
        assertThat(blocks).hasSize(1);

        run(blocks.get(0));

        Path file = directory.resolve("secret");
        assertThat(Base64.getDecoder().decode(Files.readString(file).strip())).hasSize(32);
        assertThat(SharedSecret.ofFile(file)).isNotNull();
    }

    /** Or a new block would be one that nobody runs. */
    @Test
    void everyBlockIsRun() throws Exception {
        assertThat(blocks(""))
                .hasSize(blocks("> secret").size()
                        + blocks("> keys").size()
                        + blocks("nyc-1").size());
    }

    @Test
    void theCommandsMakeEncryptionKeys() throws Exception {
        List<String> blocks = blocks("> keys");
        assertThat(blocks).hasSize(2);

        run(blocks.get(0));
        EncryptionKeyFile keys = EncryptionKeys.ofFile(directory.resolve("keys"));
        assertThat(keys.current().id()).isEqualTo("2026-07");
        run(blocks.get(1));
        keys.reload();

        assertThat(keys.current().id()).isEqualTo("2027-01");
        assertThat(EncryptionKeys.ofFile(directory.resolve("keys")).find("2026-07"))
                .as("still there for reading")
                .isEqualTo(keys.find("2026-07"));
    }

    @Test
    void theCommandsMakeCertificatesAndRevokeOne() throws Exception {
        List<String> blocks = blocks("nyc-1");
        assertThat(blocks).hasSize(2);
        Path revoked = Files.createFile(directory.resolve("revoked.txt"));
        run(blocks.get(0));
        String second = blocks.get(0).substring(blocks.get(0).indexOf("cat >"));
        run(second.replace("nyc-1", "ams-1"));

        Node nyc = start(NYC);
        next = AMS;
        Node ams = start(AMS);
        link(nyc, ams);
        link(ams, nyc);
        run(blocks.get(1));
        assertThat(Files.readString(revoked)).startsWith("serial=");
        next = AMS;
        ams.transport().close();
        Node amsAgain = start(AMS);
        nyc.target(amsAgain);

        await(
                "nyc-1 is refused",
                () -> ((NettyTransport) amsAgain.transport()).counters().distrusted() > 0);
        assertThat(amsAgain.heard().events()).isEmpty();
    }
}
