package io.georep.connectors.mqtt;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.georep.connectors.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The broker of Debian's package mosquitto, as a process of the test's. */
public final class Mosquitto implements AutoCloseable {
    private static final long SECONDS_MAX = 20;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Path directory;
    private final int port;
    private final boolean anonymous;
    private final int inFlightMax;
    private final String more;
    private Process process;

    private Mosquitto(Path directory, int port, boolean anonymous, int inFlightMax, String more) {
        this.directory = directory;
        this.port = port;
        this.anonymous = anonymous;
        this.inFlightMax = inFlightMax;
        this.more = more;
    }

    /** Starts one that has no limit of its own for messages in flight, or skips the test where there is none. */
    public static Mosquitto start(Path directory, boolean anonymous) {
        return start(new Mosquitto(directory, FreePort.find(), anonymous, 0, ""));
    }

    /** Starts one for everybody on this port, with the limit that it has by default. */
    public static Mosquitto start(Path directory, int port) {
        return start(new Mosquitto(directory, port, true, 20, ""));
    }

    /** Starts one for everybody with one more line of settings. */
    public static Mosquitto startWith(Path directory, String line) {
        return start(new Mosquitto(directory, FreePort.find(), true, 0, line + "\n"));
    }

    private static Mosquitto start(Mosquitto broker) {
        broker.start();
        return broker;
    }

    /** The port it listens on, the same after each start. */
    public int port() {
        return port;
    }

    /** Starts it again after {@link #stop}, with what it wrote down. */
    public void start() {
        Optional<Path> program = Stream.of(
                        "/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(program.isPresent(), "mosquitto is not installed: apt-get install mosquitto");
        try {
            Path settings = Files.writeString(
                    directory.resolve("mosquitto.conf"),
                    "listener " + port + " 127.0.0.1\nallow_anonymous " + anonymous + "\npersistence true\nuser root\n"
                            + "persistence_location " + directory
                            + "/\nautosave_interval 1\nautosave_on_changes true\n"
                            + "max_inflight_messages " + inFlightMax + "\nmax_queued_messages 0\n" + more);
            process = new ProcessBuilder(program.get().toString(), "-c", settings.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("mosquitto.log").toFile())
                    .start();
            awaitPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitPort() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                    throw new IOException(
                            "mosquitto does not answer: " + Files.readString(directory.resolve("mosquitto.log")));
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    /** Waits until it has said this since its last start. */
    void awaitSaid(String text) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        Path log = directory.resolve("mosquitto.log");
        while (!Files.readString(log).contains(text)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("mosquitto does not say '" + text + "': " + Files.readString(log));
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Ends it so that it writes down what it has. */
    public void stop() {
        if (process != null) {
            process.destroy();
            try {
                if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() {
        stop();
    }
}
