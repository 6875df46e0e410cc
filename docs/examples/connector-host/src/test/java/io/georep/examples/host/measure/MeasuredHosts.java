package io.georep.examples.host.measure;

import io.georep.GeoRepNode;
import io.georep.connectors.FreePort;
import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.util.FileSystemUtils;

/** Two nodes in this JVM, over loopback and with real stores. The first one forwards: by a listener, and by a sink. */
final class MeasuredHosts implements AutoCloseable {
    static final String LISTENED = "listened";
    static final String SUNK = "sunk";

    private static final int SENDS_OPEN = 2_000;
    private static final long WAIT_NANOS = 300_000_000_000L;
    /** Asking costs processor time, too. */
    private static final long POLL_NANOS = 50_000_000;

    private final Path directory;
    private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

    /** The application around a node. */
    @EnableAutoConfiguration
    static class Application {}

    /** The application that forwards. */
    @EnableAutoConfiguration
    @Import(Counter.class)
    static class ForwardingApplication {}

    /** Counts what it forwards. */
    static class Counter {
        final AtomicLong count = new AtomicLong();

        @OutboxListener(queue = LISTENED, batch = true, batchMax = "500", window = "1000", autoStartup = "false")
        void forward(List<byte[]> payloads) {
            count.addAndGet(payloads.size());
        }
    }

    MeasuredHosts(Path directory) throws IOException {
        this.directory = directory;
        int[] ports = {FreePort.find(), FreePort.find()};
        for (int i = 0; i < 2; i++) {
            List<String> arguments = new ArrayList<>(List.of(
                    "--spring.main.banner-mode=off",
                    "--spring.jmx.enabled=false",
                    "--logging.level.root=warn",
                    "--georep.node-id=m" + i,
                    "--georep.host=localhost",
                    "--georep.port=" + ports[i],
                    "--georep.seeds=localhost:" + ports[1 - i],
                    "--georep.data-dir=" + directory.resolve("m" + i)));
            Stream.of(LISTENED, SUNK, "nothing")
                    .map(each -> "--georep.outboxes." + each + ".f=1")
                    .forEach(arguments::add);
            String sink = "--georep.connectors.noop.";
            arguments.addAll(List.of(
                    sink + "connector.class=" + NoopSink.class.getName(),
                    sink + "topics=" + (i == 0 ? SUNK : "nothing"),
                    sink + "value.converter=io.georep.spring.connect.ByteArrayConverter"));
            contexts.add(new SpringApplicationBuilder(i == 0 ? ForwardingApplication.class : Application.class)
                    .web(WebApplicationType.NONE)
                    .run(arguments.toArray(new String[0])));
        }
        for (int i = 0; i < 2; i++) {
            GeoRepNode node = node(i);
            await("the nodes to find each other", () -> node.ready(1));
        }
    }

    static MeasuredHosts start() throws IOException {
        return new MeasuredHosts(Files.createTempDirectory("measure-"));
    }

    GeoRepNode node(int index) {
        return contexts.get(index).getBean(GeoRepNode.class);
    }

    <T> T bean(Class<T> type) {
        return contexts.get(0).getBean(type);
    }

    /** Stores entries of 300 bytes. */
    void fill(String queue, int entries) {
        Outbox<byte[]> outbox = bean(Outboxes.class).outbox(queue, byte[].class);
        byte[] payload = new byte[300];
        Queue<CompletableFuture<EntryId>> open = new ArrayDeque<>();
        for (int i = 0; i < entries; i++) {
            if (open.size() == SENDS_OPEN) {
                open.remove().join();
            }
            open.add(outbox.send(payload).toCompletableFuture());
        }
        open.forEach(CompletableFuture::join);
    }

    /** Whether the first node holds nothing more. */
    boolean empty() {
        return node(0).statistics().of(OutboxActivity.class).protocol().held().values().stream()
                        .mapToLong(Long::longValue)
                        .sum()
                == 0;
    }

    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + WAIT_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("waited five minutes for " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    @Override
    public void close() throws IOException {
        contexts.forEach(context -> context.getBean(GeoRepNode.class).halt());
        contexts.forEach(ConfigurableApplicationContext::close);
        FileSystemUtils.deleteRecursively(directory);
    }
}
