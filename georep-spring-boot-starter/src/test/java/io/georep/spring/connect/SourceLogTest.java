package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.spring.connect.SourceLog.Submitted;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records are committed in the order in which their source partition gave them. */
class SourceLogTest {
    private final SourceLog log = new SourceLog();

    private Submitted submit(String partition, int number) {
        return log.submit(
                new SourceRecord(Map.of("file", partition), Map.of("line", number), "topic", null, partition + number));
    }

    private List<Object> committed() throws InterruptedException {
        return log.takeDone(0).stream().map(one -> one.record().value()).toList();
    }

    @Test
    void aRecordWaitsForThoseBeforeItInItsPartitionOnly() throws InterruptedException {
        Submitted a1 = submit("a", 1);
        Submitted a2 = submit("a", 2);
        Submitted a3 = submit("a", 3);
        Submitted b1 = submit("b", 1);

        a2.done(null);
        assertThat(committed()).isEmpty();
        b1.done(null);
        assertThat(committed()).containsExactly("b1");
        a1.done(null);
        a1.done(null);
        assertThat(committed()).containsExactly("a1", "a2");
        assertThat(log.onTheirWay()).isEqualTo(1);
        a3.done(null);
        assertThat(committed()).containsExactly("a3");
        assertThat(log.onTheirWay()).isZero();
    }

    @Test
    void thereIsRoomForABoundedNumber() throws InterruptedException {
        Submitted first = submit("a", 1);
        submit("a", 2);

        assertThat(log.awaitRoom(2, 1)).isFalse();
        first.done(null);
        log.takeDone(0);
        assertThat(log.awaitRoom(2, 1)).isTrue();
    }

    /** A task that fails waits for what is on its way, and not for the record it failed with. */
    @Test
    void aRecordThatIsGivenUpKeepsNobodyWaiting() throws InterruptedException {
        Submitted first = submit("a", 1);
        Submitted second = submit("a", 2);
        Submitted third = submit("a", 3);
        second.giveUp();
        second.giveUp();
        submitThenTake("b").giveUp();
        third.done(null);

        assertThat(log.onTheirWay()).isEqualTo(1);
        first.done(null);
        assertThat(committed()).as("nothing behind it").containsExactly("a1");
        assertThat(log.onTheirWay()).isZero();
    }

    /** A record that has left already. */
    private Submitted submitThenTake(String partition) throws InterruptedException {
        Submitted gone = submit(partition, 1);
        gone.done(null);
        assertThat(committed()).containsExactly(partition + "1");
        return gone;
    }

    /** The thread that commits goes on until the task has ended, and would turn without a pause meanwhile. */
    @Test
    @Timeout(60)
    void whoCommitsWaitsForRecordsAlsoAfterTheEndOfAllPolling() throws Exception {
        Submitted first = submit("a", 1);
        log.close();
        CompletableFuture<List<Submitted>> taken = new CompletableFuture<>();
        Thread committing = new Thread(() -> {
            try {
                taken.complete(log.takeDone(60_000));
            } catch (InterruptedException e) {
                taken.completeExceptionally(e);
            }
        });
        committing.start();
        await().until(() -> taken.isDone() || committing.getState() == Thread.State.TIMED_WAITING);

        first.done(null);

        assertThat(taken.get()).containsExactly(first);
    }
}
