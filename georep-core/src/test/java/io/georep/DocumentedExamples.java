package io.georep;

import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.KeySpaces;
import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.Outbox;
import io.georep.outbox.Replication;
import io.georep.outbox.Retry;
import io.georep.outbox.SendOptions;
import io.georep.testing.LocalCluster;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Java of README.md, docs/quickstart.md and docs/key-space.md, so that it compiles. {@link DocumentationTest} compares, ignoring white
 * space and comments; nothing here is run.
 */
final class DocumentedExamples {
    private static final Logger log = LoggerFactory.getLogger(DocumentedExamples.class);

    /** The consumer in the examples. */
    interface Operator {
        void submit(String text);

        void submit(String text, String key);
    }

    /** The producer in the examples. */
    interface Producer {
        void accepted(EntryId id);

        void refused(RejectedException.Reason reason);

        void unknown();
    }

    /** An application's own queue. */
    interface OwnQueue {
        void add(EntryId id, byte[] payload);
    }

    /** An application's own transaction. */
    interface Transaction {
        boolean commit(EntryId id);
    }

    private DocumentedExamples() {}

    /** The source in the examples. */
    interface Source {
        long seek(String topic, long offset);
    }

    static void keySpaces(Path directory, Source source) {
        GeoRepNode node = GeoRepNode.builder()
                .nodeId("ams-1")
                .site("eu-ams")
                .listen(7400)
                .seeds("nyc-1.example.net:7400")
                .dataDir(directory)
                .keySpaces(KeySpaceSettings.defaults())
                .start();

        KeySpaces keys = node.service(KeySpaces.class);
        KeySpace offsets = keys.replicated("offsets", 1);

        keys.caughtUp(1).thenCompose(done -> offsets.get("topic-1")).thenAccept(value -> {
            long position = value == null ? 0 : ByteBuffer.wrap(value).getLong();
            long next = source.seek("topic-1", position);
            offsets.put("topic-1", ByteBuffer.allocate(8).putLong(next).array());
        });
    }

    static EntryId readme(Operator operator) {
        GeoRepNode node = GeoRepNode.builder()
                .nodeId("ams-1")
                .site("eu-ams")
                .listen(7400)
                .seeds("nyc-1.example.net:7400")
                .dataDir(Path.of("/var/lib/gateway"))
                .start();

        Outbox<String> outbox = node.outbox("sms", String.class, options -> options.f(1));

        outbox.forward(delivery -> operator.submit(delivery.payload()));

        EntryId id = outbox.sendAndWait("Your code is 1234", Duration.ofSeconds(5));
        return id;
    }

    static void sending(GeoRepNode node, Producer producer) {
        Outbox<String> outbox = node.outbox("sms", String.class, options -> options.f(1));

        outbox.send("Your code is 1234").whenComplete((id, error) -> {
            if (error == null) {
                producer.accepted(id);
            } else if (error instanceof RejectedException rejected) {
                producer.refused(rejected.reason());
            } else {
                producer.unknown();
            }
        });
    }

    static void forwarding(Outbox<String> outbox, Operator operator) {
        outbox.onAdoption(
                adoption -> log.info("took over {} from {}", adoption.delivery().id(), adoption.from()));

        outbox.forward(
                delivery -> operator.submit(delivery.payload(), delivery.id().toString()),
                options -> options.concurrency(8)
                        .retry(Retry.defaults().attempts(20).neverOn(IllegalArgumentException.class)));
    }

    static void preparing(Outbox<String> outbox, String text, Transaction transaction) {
        EntryId id = outbox.prepare(text, SendOptions.defaults())
                .toCompletableFuture()
                .join();
        boolean committed = transaction.commit(id);
        outbox.decide(List.of(id), committed);
    }

    static void stopping(GeoRepNode node) {
        node.close(Duration.ofMinutes(2));
    }

    static void replication(GeoRepNode node, OwnQueue queue, byte[] payload, Collection<EntryId> sent) {
        Replication replication = node.replication("sms")
                .onAdopted(entry -> queue.add(entry.id(), entry.payload()))
                .start();

        replication.replicate(payload, 1).thenAccept(id -> queue.add(id, payload));
        replication.forwarded(sent);
    }

    static void tests(List<String> taken) {
        try (LocalCluster cluster = LocalCluster.start(3)) {
            Outbox<String> first = cluster.node(1).outbox("sms", String.class);
            for (int number : List.of(2, 3)) {
                cluster.node(number).outbox("sms", String.class).forward(delivery -> taken.add(delivery.payload()));
            }
            cluster.awaitReady(1);

            first.sendAndWait("hello", Duration.ofSeconds(5));
            cluster.crash(1);
        }
    }
}
