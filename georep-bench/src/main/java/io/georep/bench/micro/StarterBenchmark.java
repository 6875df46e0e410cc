package io.georep.bench.micro;

import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.spring.OutboxListener;
import io.georep.spring.Outboxes;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * The same way as {@link HandOffBenchmark} goes, in a Spring application: through the starter's outbox to a method with
 * {@link OutboxListener}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class StarterBenchmark {
    private static final String QUEUE = "starter";

    /** The application. */
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Receiver receiver() {
            return new Receiver();
        }
    }

    /** Takes what was sent. */
    static class Receiver {
        final EntryCount handled = new EntryCount();

        @OutboxListener(queue = QUEUE, window = "10000")
        void take(byte[] payload) {
            handled.add(1);
        }
    }

    private final byte[] payload = BenchmarkPayload.bytes(300);
    private final AtomicLong sent = new AtomicLong();
    private @Nullable ConfigurableApplicationContext context;
    private @Nullable Outbox<byte[]> outbox;
    private Receiver receiver = new Receiver();

    /** Starts the application. */
    @Setup
    public void start() {
        ConfigurableApplicationContext started = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .logStartupInfo(false)
                .properties(Map.of(
                        "georep.node-id", "bench", "georep.durability", "memory", "spring.main.banner-mode", "off"))
                .run();
        context = started;
        receiver = started.getBean(Receiver.class);
        outbox = started.getBean(Outboxes.class).outbox(QUEUE, byte[].class);
    }

    private Outbox<byte[]> outbox() {
        return Objects.requireNonNull(outbox, "started");
    }

    /** One entry, until its send is acknowledged. */
    @Benchmark
    public EntryId send() {
        sent.incrementAndGet();
        return outbox().send(payload).toCompletableFuture().join();
    }

    /** One entry, until the listener has it. */
    @Benchmark
    public void sendToListener() throws InterruptedException {
        long number = sent.incrementAndGet();
        var unused = outbox().send(payload);
        receiver.handled.await(number);
    }

    /** Requires that the listener got every entry; begins the next iteration with nothing under way. */
    @TearDown(Level.Iteration)
    public void check() throws InterruptedException {
        receiver.handled.await(sent.get());
        receiver.handled.require(sent.get());
    }

    /** Stops the application. */
    @TearDown
    public void stop() {
        Objects.requireNonNull(context, "started").close();
    }
}
