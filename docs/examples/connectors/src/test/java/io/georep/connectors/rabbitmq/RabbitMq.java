package io.georep.connectors.rabbitmq;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.ConnectionFactory;
import io.georep.connectors.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** The broker of Debian's package rabbitmq-server, as processes of the test's: a node of its own with a name server of its own. */
public final class RabbitMq implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");
    private static final long SECONDS_MAX = 60;

    private final Path directory;
    private final int port;
    private final int namesPort = FreePort.find();
    private final int nodesPort = FreePort.find();
    private Process names;
    private Process process;

    private RabbitMq(Path directory, int port) {
        this.directory = directory.toAbsolutePath();
        this.port = port;
    }

    /** Starts one, or skips the test where there is none. */
    public static RabbitMq start(Path directory) {
        return start(directory, FreePort.find());
    }

    /** The same, on this port. */
    public static RabbitMq start(Path directory, int port) {
        assumeTrue(Files.isExecutable(PROGRAM), "RabbitMQ is not installed: apt-get install rabbitmq-server");
        RabbitMq broker = new RabbitMq(directory, port);
        broker.start();
        return broker;
    }

    /** The port it listens on, the same after each start. */
    public int port() {
        return port;
    }

    /** Connects as the user that it has by itself. */
    public ConnectionFactory connections() {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        return factory;
    }

    /** Starts it again after {@link #stop}, with what it wrote down; waits until it answers. */
    public void start() {
        try {
            Path log = directory.resolve("rabbitmq.log");
            if (names == null) {
                names = new ProcessBuilder("epmd", "-port", Integer.toString(namesPort), "-address", "127.0.0.1")
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
            }
            Path settings = Files.writeString(
                    directory.resolve("rabbitmq.conf"),
                    "listeners.tcp.1 = 127.0.0.1:" + port + "\nloopback_users.guest = true\n"
                            // A test's disk may be small; the broker's alarm is not what is tested.
                            + "disk_free_limit.absolute = 1MB\nlog.file = false\nlog.console = true\n");
            ProcessBuilder builder = new ProcessBuilder(PROGRAM.toString());
            builder.environment()
                    .putAll(Map.of(
                            "HOME", directory.toString(),
                            "RABBITMQ_NODENAME", "test" + port + "@localhost",
                            "RABBITMQ_MNESIA_BASE", directory.resolve("data").toString(),
                            "RABBITMQ_CONFIG_FILE", settings.toString(),
                            "RABBITMQ_ENABLED_PLUGINS_FILE",
                                    Files.writeString(directory.resolve("plugins"), "[].\n")
                                            .toString(),
                            "RABBITMQ_CONF_ENV_FILE", directory.resolve("none").toString(),
                            "RABBITMQ_DIST_PORT", Integer.toString(nodesPort),
                            "RABBITMQ_LOGS", "-",
                            "ERL_EPMD_PORT", Integer.toString(namesPort),
                            "ERL_EPMD_ADDRESS", "127.0.0.1"));
            process = builder.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            awaitAnswer(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitAnswer(Path log) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (true) {
            try {
                connections().newConnection().close();
                return;
            } catch (IOException | TimeoutException e) {
                if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                    throw new IOException("RabbitMQ does not answer: " + Files.readString(log), e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    /** Ends the node in order, so that it writes down what it has. */
    public void stop() {
        if (process == null) {
            return;
        }
        // The script that began it would start another Erlang to end it.
        process.descendants()
                .filter(each -> each.info().command().orElse("").endsWith("beam.smp"))
                .forEach(ProcessHandle::destroy);
        end(process);
        process = null;
    }

    private static void end(Process ending) {
        try {
            if (!ending.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                ending.descendants().forEach(ProcessHandle::destroyForcibly);
                ending.destroyForcibly();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        stop();
        if (names != null) {
            names.destroy();
            end(names);
        }
    }
}
