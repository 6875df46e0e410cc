package io.georep.comparison;

import io.georep.model.Durability;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** What {@link Nodes} tells each process that it starts. */
final class PlaceOptions {
    private static final long LOOK_MILLIS = 50;

    @Option(names = "--index", required = true)
    private int index;

    @Option(names = "--names", required = true, split = ",")
    private List<String> names = List.of();

    @Option(names = "--hosts", required = true, split = ",")
    private List<String> hosts = List.of();

    @Option(names = "--data", required = true)
    private Path data = Path.of("");

    @Option(names = "--durability", required = true)
    private Durability durability = Durability.FSYNC;

    @Option(names = "--lease-millis", required = true)
    private long leaseMillis;

    @Option(names = "--start-seconds", required = true)
    private int startSeconds;

    /** The place; its directory is there. */
    Place place() throws IOException {
        Files.createDirectories(data);
        return new Place(index, names, hosts, data, durability, leaseMillis);
    }

    /** Waits until the product can be used, says so, and carries out commands until the input ends. */
    void serve(Callable<Boolean> ready, PrintStream answers, CommandLines.Command command) throws Exception {
        awaitReady(ready);
        answers.println("ready");
        CommandLines.serve(answers, command);
    }

    private void awaitReady(Callable<Boolean> ready) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(startSeconds);
        while (!ready.call()) {
            if (System.nanoTime() > until) {
                throw new IOException(names.get(index) + " was not ready within " + startSeconds + " s: can all of "
                        + hosts + " reach each other?");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }
}
