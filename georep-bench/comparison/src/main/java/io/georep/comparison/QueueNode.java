package io.georep.comparison;

import io.georep.bench.cluster.LoadClients;
import io.georep.bench.process.Sample;
import java.io.PrintStream;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The application of one node as a process: closed-loop clients of a queue, and a handler that does nothing. */
@Command(name = "QueueNode")
final class QueueNode implements Callable<Integer> {
    @Option(names = "--product", required = true)
    private QueueProduct product = QueueProduct.GEOREP;

    @Mixin
    private PlaceOptions options = new PlaceOptions();

    private final PrintStream answers;
    private final AtomicLong sent = new AtomicLong();
    private @Nullable LoadClients clients;
    private volatile @Nullable Pauses pauses;

    private QueueNode(PrintStream answers) {
        this.answers = answers;
    }

    /** Options: see {@link Nodes}, which starts it. */
    public static void main(String[] args) {
        CommandLines.run(QueueNode::new, args);
    }

    @Override
    public Integer call() throws Exception {
        try (ComparedQueue queue = product.open(options.place())) {
            options.serve(queue::ready, answers, words -> answer(queue, words));
        }
        return 0;
    }

    private String answer(ComparedQueue queue, String[] words) throws Exception {
        return switch (words[0]) {
            case "consume" -> {
                queue.consume(payload -> {});
                yield "consuming";
            }
            case "load" -> {
                LoadClients started = new LoadClients(payload -> send(queue, payload), null);
                clients = started;
                started.start(Integer.parseInt(words[1]), Integer.parseInt(words[2]), 0);
                yield "loaded";
            }
            case "mark" -> {
                requireClients().mark();
                yield "marked";
            }
            case "sends" -> requireClients().sends();
            case "stop" -> {
                requireClients().stop();
                yield "stopped";
            }
            case "watch" -> {
                pauses = new Pauses();
                yield "watching";
            }
            case "pauses" -> Objects.requireNonNull(pauses).text();
            case "sample" -> sample(queue).format();
            default -> "error unknown command " + words[0];
        };
    }

    private CompletionStage<?> send(ComparedQueue queue, byte[] payload) {
        sent.incrementAndGet();
        CompletionStage<?> stage = queue.send(payload);
        Pauses watched = pauses;
        return watched == null ? stage : stage.whenComplete(watched::ended);
    }

    private Sample sample(ComparedQueue queue) {
        return new Sample(Map.of(
                "sent",
                sent.get(),
                "ended",
                queue.ended(),
                "failures",
                requireClients().failures()));
    }

    private LoadClients requireClients() {
        LoadClients started = clients;
        if (started == null) {
            throw new IllegalStateException("no load was started");
        }
        return started;
    }
}
