package io.georep.examples.sms.measure;

import io.georep.GeoRepNode;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.demo.FreePort;
import io.georep.outbox.Delivery;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxListeners;
import io.georep.spring.Outboxes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** Two Spring applications with a node each in this JVM, over loopback and with real stores. Not part of the gateway. */
final class MeasuredNodes implements AutoCloseable {
    /** Name of the queue that is forwarded on the first node. */
    static final String QUEUE = "measured";

    private static final long WAIT_NANOS = 120_000_000_000L;
    private static final long POLL_NANOS = 1_000_000;

    private final Path directory;
    private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

    private MeasuredNodes(Path directory) {
        this.directory = directory;
    }

    /** The application around a node. Without {@code @Configuration}, lest the gateway finds it. */
    @EnableAutoConfiguration
    static class Application {}

    /** The application that forwards. */
    @EnableAutoConfiguration
    @Import(Forwarder.class)
    static class ForwardingApplication {}

    /** Counts what it forwards. */
    static class Forwarder {
        final AtomicLong count = new AtomicLong();

        @OutboxListener(queue = QUEUE, autoStartup = "false")
        void forward(Delivery<Sms> delivery) {
            count.incrementAndGet();
        }
    }

    /** Starts both; the properties are of the form {@code name=value}. */
    static MeasuredNodes start(boolean forwarding, String... properties) throws IOException {
        MeasuredNodes nodes = new MeasuredNodes(Files.createTempDirectory("measure-"));
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
                    "--georep.data-dir=" + nodes.directory.resolve("m" + i)));
            Stream.of(properties).map(each -> "--" + each).forEach(arguments::add);
            nodes.contexts.add(
                    new SpringApplicationBuilder(forwarding && i == 0 ? ForwardingApplication.class : Application.class)
                            .web(WebApplicationType.NONE)
                            .run(arguments.toArray(new String[0])));
        }
        for (int i = 0; i < 2; i++) {
            GeoRepNode node = nodes.node(i);
            await("the nodes to find each other", () -> node.ready(1));
        }
        return nodes;
    }

    GeoRepNode node(int index) {
        return contexts.get(index).getBean(GeoRepNode.class);
    }

    /** The outboxes of the first node, as the starter makes them. */
    Outboxes outboxes() {
        return contexts.get(0).getBean(Outboxes.class);
    }

    <T> T bean(Class<T> type) {
        return contexts.get(0).getBean(type);
    }

    OutboxListeners.Container listener() {
        return bean(OutboxListeners.class).all().get(0);
    }

    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + WAIT_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("waited two minutes for " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    static void delete(Path directory) throws IOException {
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

    @Override
    public void close() throws IOException {
        contexts.forEach(context -> context.getBean(GeoRepNode.class).halt());
        contexts.forEach(ConfigurableApplicationContext::close);
        delete(directory);
    }
}
