package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.SendOptions;
import io.georep.testing.LocalCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Prepared entries whose origin is given up before, or while, their producer decides. Every node holds a copy. */
@Timeout(120)
class PreparedFailoverTest {
    private static final Duration LONG = Duration.ofSeconds(40);

    private final LocalCluster cluster = LocalCluster.start(3);
    private final List<Outbox<String>> outboxes = new ArrayList<>();
    private final BlockingQueue<String> taken = new LinkedBlockingQueue<>();

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void theAdopterCommits() throws Exception {
        EntryId id = prepare("order");
        cluster.crash(1);
        int adopter = awaitUndecidedAt(2, 3);

        outbox(adopter).decide(List.of(id), true);

        assertThat(next()).isEqualTo("order at n" + adopter);
        awaitNothingLeft(2, 3);
        assertThat(taken).isEmpty();
    }

    @Test
    void theAdopterWithdrawsAndTheOriginLearnsOfIt() throws Exception {
        EntryId id = prepare("order");
        cluster.crash(1);
        int adopter = awaitUndecidedAt(2, 3);

        outbox(adopter).decide(List.of(id), false);
        awaitNothingLeft(2, 3);
        cluster.restart(1);
        open(1);

        awaitNothingLeft(1, 2, 3);
        assertThat(taken).isEmpty();
    }

    @Test
    void anOriginThatComesBackLeavesTheDecisionToTheAdopter() throws Exception {
        EntryId id = prepare("order");
        cluster.crash(1);
        int adopter = awaitUndecidedAt(2, 3);
        cluster.restart(1);
        open(1);
        Awaitility.await().atMost(LONG).until(() -> undecided(1).isEmpty());
        assertThat(undecided(adopter)).containsExactly(id);

        outbox(adopter).decide(List.of(id), true);

        assertThat(next()).isEqualTo("order at n" + adopter);
        awaitNothingLeft(1, 2, 3);
        assertThat(taken).isEmpty();
    }

    @Test
    void theAdopterHearsOfACommitAfterTheOriginWasGivenUp() throws Exception {
        EntryId id = prepare("order");
        int adopter = cutOffUntilAdopted();
        Awaitility.await().atMost(LONG).until(() -> undecided(1).isEmpty());

        outbox(1).decide(List.of(id), true);

        assertThat(next()).isEqualTo("order at n" + adopter);
        awaitNothingLeft(1, 2, 3);
        assertThat(taken).isEmpty();
    }

    @Test
    void theAdopterHearsOfAWithdrawalAfterTheOriginWasGivenUp() throws Exception {
        EntryId id = prepare("order");
        cutOffUntilAdopted();
        Awaitility.await().atMost(LONG).until(() -> undecided(1).isEmpty());

        outbox(1).decide(List.of(id), false);

        awaitNothingLeft(1, 2, 3);
        assertThat(taken).isEmpty();
    }

    @Test
    void theAdopterHearsOfACommitThatCouldNotBeToldAtOnce() throws Exception {
        EntryId id = prepare("order");
        int adopter = cutOffUntilAdopted();
        Awaitility.await().atMost(LONG).until(() -> undecided(1).isEmpty());

        cluster.network().isolate(LocalCluster.id(1));
        outbox(1).decide(List.of(id), true);
        assertThat(cluster.node(1)
                        .statistics()
                        .of(OutboxActivity.class)
                        .protocol()
                        .ceded())
                .isEqualTo(1); // the decision was before this
        cluster.network().heal();

        assertThat(next()).isEqualTo("order at n" + adopter);
        awaitNothingLeft(1, 2, 3);
        assertThat(taken).isEmpty();
    }

    @Test
    void theAdopterHearsOfACommitDuringThePartition() throws Exception {
        EntryId id = prepare("order");
        cluster.network().isolate(LocalCluster.id(1));
        int adopter = awaitUndecidedAt(2, 3);
        outbox(1).pause();

        outbox(1).decide(List.of(id), true);
        Awaitility.await().atMost(LONG).until(() -> undecided(1).isEmpty());
        cluster.network().heal();

        assertThat(next()).isEqualTo("order at n" + adopter);
        awaitNothingLeft(1, 2, 3);
        assertThat(taken).isEmpty();
    }

    private EntryId prepare(String payload) throws Exception {
        open(1);
        open(2);
        open(3);
        cluster.awaitReady(2);
        return get(outbox(1).prepare(payload, SendOptions.defaults().f(2)));
    }

    private void open(int node) {
        Outbox<String> outbox = cluster.node(node).outbox("orders", String.class);
        outbox.forward(delivery -> taken.add(delivery.payload() + " at n" + node));
        while (outboxes.size() < node) {
            outboxes.add(outbox);
        }
        outboxes.set(node - 1, outbox);
    }

    private Outbox<String> outbox(int node) {
        return outboxes.get(node - 1);
    }

    private int cutOffUntilAdopted() {
        cluster.network().isolate(LocalCluster.id(1));
        int adopter = awaitUndecidedAt(2, 3);
        cluster.network().heal();
        return adopter;
    }

    /** Returns which of these nodes holds something undecided. */
    private int awaitUndecidedAt(int one, int other) {
        return Awaitility.await()
                .atMost(LONG)
                .until(() -> !undecided(one).isEmpty() ? one : !undecided(other).isEmpty() ? other : 0, at -> at > 0);
    }

    private List<EntryId> undecided(int node) throws Exception {
        return get(outbox(node).undecided(null, 10)).stream().map(Delivery::id).toList();
    }

    private void awaitNothingLeft(int... nodes) {
        for (int node : nodes) {
            Awaitility.await().atMost(LONG).until(() -> {
                var protocol =
                        cluster.node(node).statistics().of(OutboxActivity.class).protocol();
                return protocol.copies() == 0
                        && protocol.held().values().stream().allMatch(count -> count == 0)
                        && protocol.receiving() == 0;
            });
        }
    }

    private String next() throws InterruptedException {
        return taken.poll(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    private static <R> R get(CompletionStage<R> stage) throws Exception {
        return stage.toCompletableFuture().get(LONG.toSeconds(), TimeUnit.SECONDS);
    }
}
