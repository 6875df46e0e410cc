package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.keys.KeySpaces;
import io.georep.model.Durability;
import io.georep.outbox.Delivery;
import io.georep.spi.TransportFactory;
import io.georep.spring.Connectors;
import io.georep.spring.Outboxes;
import io.georep.spring.boot.Refusals.Refusal;
import io.georep.spring.connect.ListSource;
import io.georep.spring.connect.ListSource.World;
import io.georep.testing.LocalCluster;
import io.georep.testing.LocalNetwork;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * A source gives records, and the outbox refuses them. Whatever the refusal is: what the source was told to be committed, and what
 * its stored offset is beyond, has an entry; and each record has one when the trouble is over.
 */
@Timeout(60)
class SourceRefusalsTest {
    private final Refusals refusals = new Refusals("texts");
    private final World world = ListSource.world("list");
    private final Queue<String> forwarded = new ConcurrentLinkedQueue<>();

    private ApplicationContextRunner listing(String... settings) {
        ApplicationContextRunner runner = TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                .withBean("refusals", Refusals.class, () -> refusals)
                .withPropertyValues(
                        "georep.f=0",
                        "georep.close-timeout=1s",
                        "georep.connectors.list.connector.class=" + ListSource.class.getName(),
                        "georep.connectors.list.offset.flush.interval.ms=20",
                        "georep.connectors.list.georep.restart.delay.min.ms=20",
                        "georep.connectors.list.georep.restart.delay.max.ms=40",
                        "georep.connectors.list.value.converter=org.apache.kafka.connect.storage.StringConverter");
        for (String setting : settings) {
            runner = runner.withPropertyValues("georep.connectors.list." + setting);
        }
        return runner;
    }

    private void forward(AssertableApplicationContext context) {
        context.getBean(Outboxes.class)
                .outbox("texts", byte[].class)
                .forward(delivery -> forwarded.add(text(delivery)));
    }

    private static String text(Delivery<byte[]> delivery) {
        return new String(delivery.payload(), StandardCharsets.UTF_8);
    }

    private Collection<String> accepted() {
        return refusals.accepted().stream()
                .map(payload -> new String((byte[]) payload, StandardCharsets.UTF_8))
                .toList();
    }

    private static Connectors.Status status(AssertableApplicationContext context) {
        return context.getBean(Connectors.class).byName("list");
    }

    /** The number of texts that the source need not read again; all its offsets are below 128. */
    private static int offset(AssertableApplicationContext context) {
        var space = context.getBean(GeoRepNode.class).service(KeySpaces.class).replicated("georep.connect", 0);
        var entries = space.scan("source/".getBytes(StandardCharsets.UTF_8), null, 10)
                .toCompletableFuture()
                .join()
                .entries();
        return entries.isEmpty() ? 0 : entries.get(0).value()[entries.get(0).value().length - 1];
    }

    /** In this order: what is stored now was accepted before. */
    private void account(AssertableApplicationContext context) {
        List<String> committed = List.copyOf(world.committed);
        int offset = offset(context);
        Collection<String> accepted = accepted();
        assertThat(accepted).containsAll(committed);
        assertThat(accepted).containsAll(world.texts.subList(0, offset));
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsCommittedThatTheOutboxRefuses(Refusal refusal) {
        world.texts.addAll(List.of("one", "two", "three"));
        refusals.begin(refusal);
        listing().run(context -> {
            assertThat(context).hasNotFailed();
            forward(context);
            await().atMost(SOON).until(() -> refusals.refused() > 0);
            if (refusal != Refusal.SLOW) {
                await().atMost(SOON).until(() -> status(context).troubled());
            }
            context.getBean(Connectors.class).restart("list");
            await().atMost(SOON).until(() -> world.starts.size() > 1);
            assertThat(world.committed).isEmpty();
            assertThat(offset(context)).isZero();

            refusals.end();
            await().atMost(SOON).until(() -> offset(context) == 3);
            await().atMost(SOON).until(() -> !status(context).troubled());
            assertThat(world.starts).containsOnly(0L);
            assertThat(world.leftOut).isEmpty();
            await().atMost(SOON).until(() -> forwarded.containsAll(world.texts));
            account(context);
        });
    }

    /** The outbox may refuse in another way when the same record is sent again, while the source waits for more. */
    @ParameterizedTest
    @EnumSource
    void aRecordThatIsSentAgainIsNeverForgotten(Refusal refusal) {
        world.waits = true;
        listing().run(context -> {
            assertThat(context).hasNotFailed();
            forward(context);
            refusals.begin(Refusal.TOO_FEW_PEERS);
            world.texts.addAll(List.of("one", "two"));
            await().atMost(SOON).until(() -> refusals.refused() > 1);
            // Before it begins: a slow one may have come already, and no other comes as long as that one waits.
            int before = refusals.refused();
            refusals.begin(refusal);
            await().atMost(SOON).until(() -> refusals.refused() > before + (refusal == Refusal.SLOW ? 0 : 4));
            assertThat(status(context).troubled()).isTrue();
            assertThat(world.committed).isEmpty();

            refusals.end();
            await().atMost(SOON).until(() -> offset(context) == 2);
            await().atMost(SOON).until(() -> !status(context).troubled());
            await().atMost(SOON).until(() -> forwarded.containsAll(world.texts));
            assertThat(world.leftOut).isEmpty();
            account(context);
        });
    }

    /** All kinds of refusals, one after the other, and restarts, while records flow. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theAccountIsRightAtAnyTime(long seed) {
        Random random = new Random(seed);
        listing("georep.pending.records.max=7").run(context -> {
            assertThat(context).hasNotFailed();
            forward(context);
            Refusal[] kinds = Refusal.values();
            for (int turn = 0; turn < 12; turn++) {
                for (int i = 0; i < 4; i++) {
                    world.texts.add("text " + world.texts.size());
                }
                int refused = refusals.refused();
                refusals.begin(kinds[random.nextInt(kinds.length)]);
                await().atMost(SOON).until(() -> refusals.refused() > refused);
                account(context);
                if (random.nextInt(4) == 0) {
                    context.getBean(Connectors.class).restart("list");
                }
                int accepted = accepted().size();
                refusals.end();
                await().atMost(SOON).until(() -> accepted().size() > accepted);
                account(context);
            }
            await().atMost(SOON).until(() -> offset(context) == world.texts.size());
            await().atMost(SOON).until(() -> forwarded.containsAll(world.texts));
            assertThat(world.leftOut).isEmpty();
            account(context);
        });
    }

    @Test
    void aRecordThatIsTooLargeIsDroppedOnlyIfThatIsTolerated() {
        world.texts.addAll(List.of("one", "big" + "x".repeat(2_000), "two"));
        listing("errors.tolerance=all")
                .withPropertyValues("georep.protocol.payload-bytes-max=1024")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    forward(context);
                    await().atMost(SOON).until(() -> offset(context) == 3);
                    await().atMost(SOON).until(() -> forwarded.containsAll(List.of("one", "two")));
                    assertThat(world.leftOut).singleElement().asString().startsWith("big");
                    assertThat(status(context).troubled()).isFalse();
                });
    }

    /** Those before it are not sent again whenever the task is started again, nor are those behind it. */
    @Test
    void whatCameBeforeARecordThatIsTooLargeIsCommitted() {
        world.texts.addAll(List.of("one", "two", "big" + "x".repeat(2_000), "three"));
        listing("offset.flush.interval.ms=3600000")
                .withPropertyValues("georep.protocol.payload-bytes-max=1024")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    forward(context);
                    List<Long> starts = new ArrayList<>();
                    await().atMost(SOON).until(() -> world.starts.drainTo(starts) >= 0 && starts.size() > 4);
                    // A life that lasts longer than the longest pause, 40 ms here, is well until it fails.
                    await().atMost(SOON).until(() -> status(context).troubled());
                    assertThat(starts.subList(1, 5)).containsOnly(2L);
                    assertThat(forwarded).filteredOn("one"::equals).hasSize(1);
                    assertThat(forwarded).as("what is behind it").doesNotContain("three");
                    assertThat(world.committed).doesNotContain("three");
                });
    }

    @Test
    void anOutboxThatRefusesIsToldWhateverOthersTake() {
        listing().run(context -> {
            assertThat(context).hasNotFailed();
            refusals.begin(Refusal.QUEUE_FULL);
            world.texts.add("one");
            await().atMost(SOON).until(() -> refusals.refused() > 6); // from now on the pauses are long
            assertThat(status(context).troubled()).isTrue();

            CountDownLatch taken = new CountDownLatch(1);
            context.getBean(Outboxes.class).outbox("other", byte[].class).forward(delivery -> taken.countDown());
            world.topic = "other";
            world.texts.add("two");
            taken.await();
            assertThat(status(context).tasks().get(0).problem()).contains("outbox texts does not take records");
            assertThat(world.committed).isEmpty();
        });
    }

    /** Names that no outbox can have. */
    @ParameterizedTest
    @ValueSource(strings = {"", " ", "long"})
    void aRecordThatNoOutboxCanTakeIsDroppedIfThatIsTolerated(String name) {
        world.texts.add("one");
        listing("errors.tolerance=all").run(context -> {
            assertThat(context).hasNotFailed();
            forward(context);
            await().atMost(SOON).until(() -> world.committed.contains("one"));
            world.topic = name.equals("long") ? "x".repeat(256) : name;
            world.texts.add("two");
            await().atMost(SOON).until(() -> world.committed.contains("two"));
            world.topic = "texts";
            world.texts.add("three");

            await().atMost(SOON).until(() -> offset(context) == 3);
            assertThat(world.leftOut).containsExactly("two");
            assertThat(world.starts).containsExactly(0L);
        });
    }

    /** Each outbox stays open as long as the node, so data must not name them without end. */
    @Test
    void topicsThatAreMadeOfDataOpenABoundedNumberOfOutboxes() {
        world.topicOf = text -> "of-" + text;
        IntStream.range(0, 1_003).forEach(number -> world.texts.add(String.valueOf(number)));
        listing("errors.tolerance=all").run(context -> {
            await().atMost(SOON.multipliedBy(3)).until(() -> world.committed.size() == 1_003);
            assertThat(world.leftOut).containsExactly("1000", "1001", "1002");
            assertThat(world.starts).containsExactly(0L);
        });
    }

    /** The entry is durable, whatever the source says to that: it must not be sent again in each life of the task. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRecordIsNotSentAgainBecauseItsCommitFails(boolean interrupted) {
        world.texts.addAll(List.of("one", "two"));
        world.commit = () -> {
            if (interrupted) {
                Thread.currentThread().interrupt();
            } else {
                throw new NoSuchMethodError("of another version of its client");
            }
        };
        listing().run(context -> {
            assertThat(context).hasNotFailed();
            forward(context);

            await().atMost(SOON).until(() -> offset(context) == 2);
            world.texts.add("three");
            await().atMost(SOON).until(() -> offset(context) == 3);
            assertThat(world.starts).containsExactly(0L);
            assertThat(world.committed).containsExactly("one", "two", "three");
        });
    }

    /** Both would hold the lease, as it is of the node: each record would come twice. */
    @Test
    void aChildContextWithTheSamePropertiesRunsNoConnectorsOnceMore() {
        world.texts.add("one");
        listing().run(context -> {
            assertThat(context).hasNotFailed();
            await().atMost(SOON).until(() -> world.committed.contains("one"));

            listing().withParent(context).run(child -> {
                assertThat(child).hasNotFailed();
                assertThat(child.getBean(Connectors.class)).isSameAs(context.getBean(Connectors.class));
                world.texts.add("two");
                await().atMost(SOON).until(() -> world.committed.contains("two"));
            });

            world.texts.add("three");
            await().atMost(SOON).until(() -> world.committed.contains("three"));
            assertThat(world.starts).hasSize(1);
        });
    }

    /** It waits no more, so nothing keeps the source from getting on. */
    @Test
    void aRecordThatWaitsAndThenIsTooLargeIsNoProblemAnyMore() {
        world.texts.add("one");
        listing("errors.tolerance=all").run(context -> {
            assertThat(context).hasNotFailed();
            refusals.begin(Refusal.QUEUE_FULL);
            await().atMost(SOON).until(() -> status(context).troubled());

            refusals.begin(Refusal.TOO_LARGE);

            await().atMost(SOON).until(() -> world.leftOut.contains("one"));
            await().atMost(SOON).until(() -> !status(context).troubled());
        });
    }

    /** The other node takes copies, so all is well there; but it keeps no offsets, and the source would never begin. */
    @Test
    void aSourceSaysThatNoOtherNodeKeepsOffsets() {
        LocalNetwork network = new LocalNetwork();
        try (GeoRepNode other = GeoRepNode.builder()
                .nodeId("n2")
                .listen("local", 1002)
                .seeds("local:1001")
                .durability(Durability.MEMORY)
                .protocol(LocalCluster.quick())
                .transport(network.transports())
                .start()) {
            listing()
                    .withBean(TransportFactory.class, network::transports)
                    .withPropertyValues(
                            "georep.f=1",
                            "georep.host=local",
                            "georep.port=1001",
                            "georep.seeds=local:1002",
                            "georep.protocol.heartbeat=50ms",
                            "georep.protocol.suspect-after=1500ms",
                            "georep.protocol.terminate-after=500ms",
                            "georep.protocol.put-timeout=1200ms")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        await().atMost(SOON)
                                .until(() -> context.getBean(GeoRepNode.class).ready(1));
                        await().atMost(SOON).until(() -> status(context).troubled());
                        assertThat(status(context).state()).isEqualTo(Connectors.State.UNASSIGNED);
                        assertThat(status(context).problem()).contains("connectors in their settings");
                        assertThat(other.ready(1)).isTrue();
                    });
        }
    }
}
