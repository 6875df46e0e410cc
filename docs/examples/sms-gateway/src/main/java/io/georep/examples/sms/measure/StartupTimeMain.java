package io.georep.examples.sms.measure;

import io.georep.examples.sms.demo.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Time from the start of the process until the gateway takes SMPP connections, which is the last thing it does.
 *
 * <p>Arguments: the jar, runs (5), then options of the JVM. The jar is measured as it is, and extracted by
 * {@code java -Djarmode=tools -jar … extract}.
 */
public final class StartupTimeMain {
    private static final Pattern STARTED = Pattern.compile("Started .* in ([0-9.]+) seconds");
    private static final long WAIT_NANOS = 180_000_000_000L;
    private static final long POLL_NANOS = 2_000_000;

    private StartupTimeMain() {}

    /** Measures and prints. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path jar = Path.of(arguments[0]).toAbsolutePath();
        int runs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
        List<String> options = List.of(Arguments.from(2, arguments));
        Path directory = Files.createTempDirectory("startup-");
        try {
            Path extracted = directory.resolve("extracted");
            List<String> extract = List.of(
                    java(),
                    "-Djarmode=tools",
                    "-jar",
                    jar.toString(),
                    "extract",
                    "--destination",
                    extracted.toString());
            new ProcessBuilder(extract).inheritIO().start().waitFor();
            measure("fat jar", jar, runs, options, directory);
            measure("extracted jar", extracted.resolve(jar.getFileName()), runs, options, directory);
        } finally {
            MeasuredNodes.delete(directory);
        }
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static void measure(String name, Path jar, int runs, List<String> options, Path directory)
            throws IOException, InterruptedException {
        List<Double> wall = new ArrayList<>();
        List<Double> spring = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            Path log = directory.resolve("log");
            wall.add(start(jar, options, directory.resolve("data"), log) / 1e9);
            Matcher started = STARTED.matcher(Files.readString(log));
            if (started.find()) {
                spring.add(Double.parseDouble(started.group(1)));
            }
            MeasuredNodes.delete(directory.resolve("data"));
        }
        System.out.printf(
                Locale.ROOT,
                "start-up, %-13s: median %.2f s, fastest %.2f s until it takes messages; of that %.2f s in Spring%n",
                name,
                median(wall),
                Collections.min(wall),
                median(spring));
    }

    /** Starts it once and stops it; returns the nanoseconds until its port was open. */
    private static long start(Path jar, List<String> options, Path data, Path log)
            throws IOException, InterruptedException {
        int smpp = FreePort.find();
        List<String> command = new ArrayList<>(List.of(java()));
        command.addAll(options);
        command.addAll(List.of(
                "-jar",
                jar.toString(),
                "--server.port=0",
                "--management.server.port=0",
                "--sms.accounts.client.password=measure",
                "--sms.operator.password=measure",
                "--sms.smpp.port=" + smpp,
                "--georep.node-id=measured",
                "--georep.port=0",
                "--georep.data-dir=" + data));
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            while (!open(smpp)) {
                if (!process.isAlive() || System.nanoTime() - begin > WAIT_NANOS) {
                    throw new IllegalStateException("The gateway did not start:\n" + Files.readString(log));
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
            long taken = System.nanoTime() - begin;
            awaitLine(log, process);
            return taken;
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    /** The line with Spring's own figure is written a moment after the port opened. */
    private static void awaitLine(Path log, Process process) throws IOException {
        long deadline = System.nanoTime() + WAIT_NANOS;
        while (!STARTED.matcher(Files.readString(log)).find()
                && process.isAlive()
                && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static boolean open(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("localhost", port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.isEmpty() ? Double.NaN : sorted.get(sorted.size() / 2);
    }
}
