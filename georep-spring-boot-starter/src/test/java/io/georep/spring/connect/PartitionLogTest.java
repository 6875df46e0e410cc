package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What a task can get again, and what it has flushed. */
class PartitionLogTest {
    private final PartitionLog log = new PartitionLog(new TopicPartition("sms", 7), 100);

    private void taken(long... offsets) {
        for (long offset : offsets) {
            SinkEntry entry = new SinkEntry(null, new byte[0], new Endings());
            entry.offset(offset);
            log.addAll(List.of(entry));
        }
    }

    private List<Long> due(int max) {
        return log.due(max).stream().map(SinkEntry::offset).toList();
    }

    @Test
    void aRestartedTaskGoesOnFromWhatWasFlushed() {
        taken(100, 101, 105);
        log.delivered(106);
        assertThat(log.behind()).isFalse();

        assertThat(log.commit(101)).extracting(SinkEntry::offset).containsExactly(100L);
        log.rewind();

        assertThat(due(10)).containsExactly(101L, 105L);
        assertThat(log.position()).isEqualTo(101);
    }

    @Test
    void aTaskMayAskForWhatItHasNotFlushedAndForNothingElse() {
        taken(100, 101, 102, 103);
        log.delivered(104);
        log.commit(101);

        assertThat(log.seek(102)).isEqualTo(102);
        assertThat(due(10)).containsExactly(102L, 103L);
        assertThat(log.seek(3)).as("it is gone").isEqualTo(101);
        assertThat(due(2)).containsExactly(101L, 102L);
        assertThat(log.seek(500)).as("it is not there yet").isEqualTo(104);
        assertThat(due(10)).isEmpty();
    }

    @Test
    void whatHasEndedIsNotDeliveredAgain() {
        taken(100, 101);
        log.due(1).get(0).fail(new IllegalStateException("set aside"));

        assertThat(due(10)).containsExactly(101L);
        log.due(1).get(0).fail(new IllegalStateException("set aside"));
        assertThat(due(10)).isEmpty();
        log.toEnd();
        assertThat(log.behind()).isFalse();
    }

    @Test
    void whatTheTaskNeverSawLeavesAndTheOthersStay() {
        taken(100, 101, 102, 103);
        List<SinkEntry> all = log.due(10);
        log.leaveOut(Set.of(all.get(1), all.get(3)));
        log.delivered(104);

        assertThat(log.size()).isEqualTo(2);
        assertThat(log.behind()).isFalse();
        assertThat(log.seek(104)).as("where it is").isEqualTo(104);
        assertThat(log.commit(102)).extracting(SinkEntry::offset).containsExactly(100L);
        log.rewind();
        assertThat(due(10)).containsExactly(102L);

        log.leaveOut(Set.of(all.get(2)));
        log.delivered(104);
        assertThat(log.seek(104)).as("where it is").isEqualTo(104);
    }

    @Test
    void anOlderCommitChangesNothing() {
        taken(100, 101);
        log.delivered(102);

        assertThat(log.commit(102)).hasSize(2);
        assertThat(log.commit(101)).isEmpty();
        assertThat(log.committed()).isEqualTo(102);
    }
}
