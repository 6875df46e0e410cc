package io.georep.examples.sms.demo;

import io.georep.examples.sms.simulator.PlainLogging;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The demo: {@code ./mvnw -Pdemo -Ddemo=sms}. */
public final class SmsDemoMain {
    private SmsDemoMain() {}

    /** Ends with exit code 0 only when every acknowledged message reached the operator. */
    public static void main(String[] arguments) throws IOException {
        PlainLogging.set();
        Path directory = Files.createTempDirectory("sms-demo-");
        int exitCode = 1;
        try {
            exitCode = new SmsDemo(SmsDemoOptions.fromProperties(), directory).run();
        } catch (DemoFailure | IllegalArgumentException e) {
            System.out.println("FAILED: " + e.getMessage());
        } catch (InterruptedException e) {
            System.out.println("FAILED: interrupted");
        }
        if (exitCode == 0) {
            delete(directory);
        } else {
            System.out.println("The gateways' logs and data are in " + directory);
        }
        System.exit(exitCode);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            paths.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.deleteIfExists(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
