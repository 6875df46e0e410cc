package io.georep.bench.micro;

import io.georep.GeoRepNode;
import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * Hand-overs between threads in a whole node: from the sender to the driver, to the store and back, to the application
 * thread, to the handler. One node without peers and with its store on the heap, so that waking threads is what costs.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class HandOffBenchmark {
    /** Where the handler runs. */
    public enum Handler {
        /** On the node's application thread. */
        DIRECT,
        /** On a thread of its own. */
        THREAD
    }

    /** Where the handler runs. */
    @Param
    public Handler handler = Handler.DIRECT;

    private final byte[] payload = BenchmarkPayload.bytes(300);
    private final List<byte[]> hundred = Collections.nCopies(100, payload);
    private final EntryCount handled = new EntryCount();
    private final AtomicLong sent = new AtomicLong();
    private @Nullable GeoRepNode node;
    private @Nullable Outbox<byte[]> outbox;

    /** Starts the node. */
    @Setup
    public void start() {
        GeoRepNode started = GeoRepNode.builder()
                .nodeId("bench")
                .durability(Durability.MEMORY)
                .start();
        node = started;
        outbox = started.outbox("hand-offs", byte[].class, options -> options.f(0));
        outbox().forward(delivery -> handled.add(1), options -> {
            options.window(10_000);
            if (handler == Handler.DIRECT) {
                options.executor(Runnable::run);
            }
        });
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

    /** One entry by each of four threads. */
    @Benchmark
    @Threads(4)
    public EntryId sendFromFourThreads() {
        return send();
    }

    /** One entry, until the handler has it. */
    @Benchmark
    public void sendToHandler() throws InterruptedException {
        long number = sent.incrementAndGet();
        var unused = outbox().send(payload);
        handled.await(number);
    }

    /** A hundred entries with one call, until the last send is acknowledged. */
    @Benchmark
    public int sendHundred() {
        sent.addAndGet(hundred.size());
        List<CompletionStage<EntryId>> stages = outbox().sendAll(hundred);
        stages.forEach(stage -> stage.toCompletableFuture().join());
        return stages.size();
    }

    /** Requires that the handler got every entry; begins the next iteration with nothing under way. */
    @TearDown(Level.Iteration)
    public void check() throws InterruptedException {
        handled.await(sent.get());
        handled.require(sent.get());
    }

    /** Stops the node. */
    @TearDown
    public void stop() {
        Objects.requireNonNull(node, "started").halt();
    }
}
