package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.model.ConfigurationException;
import io.georep.model.StoreException;
import io.georep.outbox.Outbox;
import io.georep.spi.EncryptionKey;
import io.georep.spi.EncryptionKeys;
import io.georep.spi.StoreFactory;
import io.georep.store.memory.MemoryStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Encryption of the store by properties. */
class StoreEncryptionTest {
    private static final String KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    private static final String PAYLOAD = "the payload that should not be seen";

    @TempDir
    Path directory;

    private ApplicationContextRunner storing(String... properties) {
        return TestApplication.runner()
                .withPropertyValues(
                        "georep.node-id=n1",
                        "georep.f=0",
                        "georep.durability=os",
                        "georep.data-dir=" + directory.resolve("data"))
                .withPropertyValues(properties);
    }

    private String keyFile(String text) throws IOException {
        return "georep.store.encryption.key-file=" + Files.writeString(directory.resolve("keys"), text);
    }

    private static void send(AssertableApplicationContext context) throws Exception {
        Outbox<String> outbox = context.getBean(GeoRepNode.class).outbox("q", String.class, options -> options.f(0));
        outbox.send(PAYLOAD).toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private String onDisk() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(directory.resolve("data"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    @Test
    void aKeyFileEncryptsTheStore() throws IOException {
        storing(keyFile("2026-07 " + KEY)).run(StoreEncryptionTest::send);
        assertThat(onDisk()).contains("encryption.keys=2026-07").doesNotContain(PAYLOAD);

        storing(keyFile("2026-07 " + KEY), "georep.store.encryption.enabled=false")
                .run(StoreEncryptionTest::send);
        assertThat(onDisk()).as("switched off").contains(PAYLOAD);
    }

    @Test
    void keysOfTheApplicationEncryptTheStore() throws IOException {
        storing()
                .withBean(EncryptionKeys.class, () -> EncryptionKeys.of(EncryptionKey.ofBase64("mine", KEY)))
                .run(StoreEncryptionTest::send);

        assertThat(onDisk()).contains("encryption.keys=mine").doesNotContain(PAYLOAD);
    }

    @Test
    void aKeyOfTheWrongLengthIsRefusedAndToldHowToDraw() throws IOException {
        storing(keyFile("2026-07 c2hvcnQ="), "georep.cluster=a b")
                .run(context -> assertThat(faults(context))
                        .hasSize(2)
                        .anySatisfy(fault -> assertThat(fault)
                                .startsWith("georep.store.encryption.key-file: file ")
                                .contains(
                                        "key '2026-07' has 5 bytes, needed are 32: draw one with 'openssl rand -base64 32'")
                                .doesNotContain("c2hvcnQ")));
    }

    @Test
    void aMissingKeyIsNamedWithTheProperty() throws IOException {
        storing(keyFile("2026-01 " + KEY)).run(StoreEncryptionTest::send);

        storing(keyFile("2026-07 " + KEY.replace('M', 'N'))).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasRootCauseInstanceOf(StoreException.class)
                    .hasStackTraceContaining("needs encryption key '2026-01'");
            FailureAnalysis analysis = new GeoRepFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis.getAction()).contains("georep.store.encryption.key-file");
        });
        storing(keyFile("2026-07 " + KEY.replace('M', 'N') + "\n2026-01 " + KEY))
                .run(context -> assertThat(context).hasSingleBean(GeoRepNode.class));
    }

    @Test
    void twoSourcesOfKeysOrAStoreThatDoesNotKnowThemAreRefused() throws IOException {
        storing(keyFile("a " + KEY))
                .withBean(EncryptionKeys.class, () -> EncryptionKeys.of(EncryptionKey.ofBase64("mine", KEY)))
                .run(context -> assertThat(faults(context))
                        .singleElement()
                        .asString()
                        .contains("EncryptionKeys of its own: leave one out"));
        storing(keyFile("a " + KEY))
                .withBean(StoreFactory.class, () -> settings -> new MemoryStore())
                .run(context -> assertThat(faults(context))
                        .singleElement()
                        .asString()
                        .contains("the store is one of your own, which does not know these keys"));
    }

    @Test
    void inMemoryNoKeyIsRead() {
        TestApplication.alone()
                .withPropertyValues("georep.store.encryption.key-file=missing")
                .run(context -> assertThat(context).hasSingleBean(GeoRepNode.class));
    }

    private static List<String> faults(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        Throwable cause = context.getStartupFailure();
        while (!(cause instanceof ConfigurationException)) {
            cause = cause.getCause();
        }
        return ((ConfigurationException) cause).faults();
    }
}
