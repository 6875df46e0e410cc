package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.model.EntryId;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.Replication;
import io.georep.testing.LocalCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The paper's own interface on three nodes. */
@Timeout(60)
class ReplicationTest {

    @Test
    void ownEntriesStayWithTheApplicationUntilItForwardedThem() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(3)) {
            BlockingQueue<Replication.Entry> handed = new LinkedBlockingQueue<>();
            Replication replication =
                    cluster.node(1).replication("log").onAdopted(handed::add).start();
            cluster.awaitReady(2);

            EntryId first = replicate(replication, "a");
            EntryId second = replicate(replication, "b");
            replication.forwarded(first, second);

            await().atMost(Duration.ofSeconds(20)).until(() -> copies(cluster) == 0);
            assertThat(handed).isEmpty();
        }
    }

    @Test
    void anEntryTheCallbackFailedForIsToldAgainAsPossiblySent() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            BlockingQueue<Replication.Entry> handed = new LinkedBlockingQueue<>();
            cluster.node(2)
                    .replication("log")
                    .onAdopted(entry -> {
                        handed.add(entry);
                        if (handed.size() <= 2) {
                            throw new IllegalStateException("the queue behind is not there yet");
                        }
                    })
                    .start();
            Replication replication = cluster.node(1).replication("log");
            cluster.awaitReady(1);
            EntryId first = replicate(replication, "a");
            EntryId second = replicate(replication, "b");

            cluster.crash(1);

            await().atMost(Duration.ofSeconds(20)).until(() -> handed.size() == 4);
            assertThat(handed)
                    .extracting(Replication.Entry::id)
                    .startsWith(first, second)
                    .containsExactlyInAnyOrder(first, second, first, second);
            assertThat(handed).allMatch(Replication.Entry::possiblySent);
        }
    }

    @Test
    void entriesOfACrashedNodeAreHandedToTheNextOwner() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            BlockingQueue<Replication.Entry> handed = new LinkedBlockingQueue<>();
            Replication survivor =
                    cluster.node(2).replication("log").onAdopted(handed::add).start();
            Replication replication = cluster.node(1).replication("log");
            cluster.awaitReady(1);
            EntryId id = replicate(replication, "a");

            cluster.crash(1);

            Replication.Entry entry = handed.poll(20, TimeUnit.SECONDS);
            assertThat(entry).isNotNull();
            assertThat(entry.id()).isEqualTo(id);
            assertThat(entry.payload()).isEqualTo("a".getBytes(StandardCharsets.UTF_8));
            assertThat(entry.from()).isEqualTo(LocalCluster.id(1));
            assertThat(entry.recovered()).isFalse();
            survivor.forwarded(entry.id());
        }
    }

    @Test
    void entriesFromBeforeARestartAreHandedBackAsRecovered() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2)) {
            Replication before = cluster.node(1).replication("log");
            cluster.awaitReady(1);
            EntryId id = replicate(before, "a");
            cluster.close(1, Duration.ofMinutes(1));
            BlockingQueue<Replication.Entry> handed = new LinkedBlockingQueue<>();

            cluster.restart(1).replication("log").onAdopted(handed::add).start();

            Replication.Entry entry = handed.poll(20, TimeUnit.SECONDS);
            assertThat(entry).isNotNull();
            assertThat(entry.id()).isEqualTo(id);
            assertThat(entry.recovered()).isTrue();
        }
    }

    @Test
    void refusesToStartWithoutACallback() {
        try (LocalCluster cluster = LocalCluster.start(1)) {
            Replication replication = cluster.node(1).replication("log");

            assertThatThrownBy(replication::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("call onAdopted first");
            assertThatThrownBy(() -> replication.replicate(new byte[0], 16)).hasMessageContaining("f is 16");
        }
    }

    private static EntryId replicate(Replication replication, String text) throws Exception {
        return replication
                .replicate(text.getBytes(StandardCharsets.UTF_8), 1)
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    private static long copies(LocalCluster cluster) {
        long copies = 0;
        for (int number = 1; number <= 3; number++) {
            copies += cluster.node(number)
                    .statistics()
                    .of(OutboxActivity.class)
                    .protocol()
                    .copies();
        }
        return copies;
    }
}
