package io.georep.examples.sms.containers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.testcontainers.images.builder.ImageFromDockerfile;

/**
 * The image of the gateway, built with its own Dockerfile, and one on top of it with what the tests need inside. Both keep
 * their names, so the engine builds only what changed.
 */
final class Images {
    private static final String GATEWAY = "georep-test/sms-gateway";
    private static final String WITH_FAULTS = "georep-test/sms-gateway-with-faults";

    /** Where no registry can be reached, .ci/run makes an image of this machine's JDK and says its name here. */
    private static final String BASE = System.getenv().getOrDefault("CONTAINER_BASE", "");

    /** The root of the module: both failsafe and IDEs run tests there. */
    private static final Path MODULE = Path.of("").toAbsolutePath();

    private static final String DOCKERFILE = String.join(
            "\n",
            "FROM " + GATEWAY,
            "USER 0",
            // The faults are rules of the firewall of each container.
            "RUN command -v iptables || (apt-get update && apt-get install -y --no-install-recommends iptables)",
            // Extracted it starts faster.
            "RUN java -Djarmode=tools -jar sms-gateway.jar extract --destination extracted"
                    + " && mv extracted/sms-gateway.jar sms-gateway.jar && mv extracted/lib lib",
            // With an archive of the classes of a first start it takes half the processor time. Without one it starts
            // as well.
            "RUN " + firstStart() + " || true; rm -rf /tmp/first",
            "COPY inside classes/io/georep/examples/inside",
            "USER 10001:10001",
            "");

    private static boolean built;

    private Images() {}

    /** A start up to where the gateway would begin to work. */
    private static String firstStart() {
        return "SMS_ACCOUNTS_CLIENT_PASSWORD=" + Gateway.PASSWORD + " SMS_OPERATOR_PASSWORD=" + Gateway.PASSWORD
                + " java "
                + Gateway.JVM + " -XX:ArchiveClassesAtExit=" + Gateway.CLASSES
                + " -Dspring.context.exit=onRefresh -jar sms-gateway.jar --georep.data-dir=/tmp/first "
                + String.join(" ", Gateway.settings("first", "127.0.0.1", "", "127.0.0.1", 1));
    }

    /** Builds what is not built yet; returns the name. */
    static synchronized String withFaults() {
        if (!built) {
            // Test classes run in two processes: the second one finds everything built.
            try (FileChannel file = FileChannel.open(
                    MODULE.resolve("target/images.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                file.lock();
                build();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            built = true;
        }
        return WITH_FAULTS;
    }

    private static void build() {
        Path jar = jar();
        ImageFromDockerfile gateway = new ImageFromDockerfile(GATEWAY, false)
                .withFileFromPath("Dockerfile", MODULE.resolve("Dockerfile"))
                .withFileFromPath("target/" + jar.getFileName(), jar);
        if (!BASE.isEmpty()) {
            gateway.withBuildArg("BASE", BASE);
        }
        gateway.get();
        new ImageFromDockerfile(WITH_FAULTS, false)
                .withFileFromString("Dockerfile", DOCKERFILE)
                .withFileFromPath("inside", MODULE.resolve("target/test-classes/io/georep/examples/inside"))
                .get();
    }

    private static Path jar() {
        try (Stream<Path> files = Files.list(MODULE.resolve("target"))) {
            List<Path> jars = files.filter(
                            each -> each.getFileName().toString().matches("sms-gateway-[0-9.]+(-SNAPSHOT)?\\.jar"))
                    .toList();
            if (jars.size() != 1) {
                throw new IllegalStateException("there must be one sms-gateway-VERSION.jar in target, there are " + jars
                        + ": run ./mvnw package");
            }
            return jars.get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
