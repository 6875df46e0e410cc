package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.model.ConfigurationException;
import io.georep.spi.TransportFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The shared secret as a property: what it does, and who gets to see it. */
@ExtendWith(OutputCaptureExtension.class)
class SecretPropertiesTest {
    private static final String SECRET = "c2VjcmV0IG9mIHRoZSBub2Rlcywgc2VjcmV0IQ==";
    private static final String OTHER = "YW5vdGhlciBzZWNyZXQgb2YgdGhlIG5vZGVz";

    @TempDir
    Path directory;

    private static ApplicationContextRunner listening(String... properties) {
        return TestApplication.alone()
                .withPropertyValues("georep.port=0", "georep.f=0")
                .withPropertyValues(properties);
    }

    private static List<String> faults(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        Throwable cause = context.getStartupFailure();
        while (!(cause instanceof ConfigurationException)) {
            cause = cause.getCause();
        }
        return ((ConfigurationException) cause).faults();
    }

    @Test
    void aNodeThatOthersReachDoesNotStartUnprotected() {
        listening().run(context -> {
            assertThat(faults(context)).singleElement().asString().contains("0.0.0.0:0", "shared secret");
            FailureAnalysis analysis = new GeoRepFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis.getAction())
                    .contains("georep.security.secret or georep.security.secret-file")
                    .contains("georep.host");
        });
    }

    @Test
    void aSecretAFileOrTheSwitchLetsItStart() throws IOException {
        Path file = Files.writeString(directory.resolve("secret"), SECRET + "\n" + OTHER + "\n");
        List<ApplicationContextRunner> all = List.of(
                listening("georep.security.secret=" + SECRET),
                listening("georep.security.secret=" + SECRET + " " + OTHER),
                listening("georep.security.secret-file=" + file),
                listening("georep.security.open-to-anyone-who-reaches-the-port=true"),
                listening("georep.host=127.0.0.1"));

        all.forEach(runner -> runner.run(context -> assertThat(context).hasSingleBean(GeoRepNode.class)));
    }

    @Test
    void twoNodesOfOneSecretMeet() {
        listening("georep.host=127.0.0.1", "georep.security.secret=" + SECRET).run(one -> {
            String seed = one.getBean(GeoRepNode.class).identity().address();
            listening(
                            "georep.node-id=n2",
                            "georep.host=127.0.0.1",
                            "georep.seeds=" + seed,
                            "georep.security.secret=" + OTHER + " " + SECRET)
                    .run(wrong -> listening(
                                    "georep.node-id=n3",
                                    "georep.host=127.0.0.1",
                                    "georep.seeds=" + seed,
                                    "georep.security.secret=" + SECRET)
                            .run(right -> {
                                GeoRepNode node = right.getBean(GeoRepNode.class);
                                Awaitility.await().until(() -> node.ready(1));
                                assertThat(wrong.getBean(GeoRepNode.class).ready(1))
                                        .isFalse();
                            }));
        });
    }

    @Test
    void whatIsWrongIsToldWithAllElseAndWithoutTheSecret(CapturedOutput output) {
        String bad = "this-is-not-base64";
        listening("georep.security.secret=" + bad, "georep.security.secret-file=missing", "georep.cluster=a b")
                .run(context -> assertThat(faults(context))
                        .hasSize(3)
                        .anySatisfy(fault -> assertThat(fault).contains("both set"))
                        .anySatisfy(fault -> assertThat(fault).startsWith("georep.security.secret: "))
                        .anySatisfy(fault -> assertThat(fault).contains("cluster 'a b'"))
                        .noneSatisfy(fault -> assertThat(fault).contains(bad)));

        assertThat(output.getAll()).doesNotContain(bad);
    }

    @Test
    void aTransportOfTheApplicationsOwnMustKnowTheSecretItself() {
        listening("georep.security.secret=" + SECRET)
                .withBean(TransportFactory.class, () -> settings -> {
                    throw new AssertionError("not reached");
                })
                .run(context ->
                        assertThat(faults(context)).singleElement().asString().contains("TransportFactory"));
    }

    @Test
    void whoeverPrintsThePropertiesDoesNotSeeIt(CapturedOutput output) {
        listening("georep.security.secret=" + SECRET)
                .run(context -> assertThat(
                                context.getBean(GeoRepProperties.class).toString())
                        .contains("Security[secret=******")
                        .doesNotContain(SECRET));

        assertThat(output.getAll()).doesNotContain(SECRET);
    }
}
