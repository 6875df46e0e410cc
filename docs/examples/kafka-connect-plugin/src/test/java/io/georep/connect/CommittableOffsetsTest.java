package io.georep.connect;

import static io.georep.connect.Carriage.PARTITION;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** Up to where a partition may be committed. */
final class CommittableOffsetsTest {
    private final PendingRecords log = new PendingRecords();

    private List<PendingRecord> add(long... offsets) {
        List<PendingRecord> added = new ArrayList<>();
        for (long offset : offsets) {
            PendingRecord record =
                    new PendingRecord(Carriage.record(offset, "x"), RecordBytes.envelope(Carriage.record(offset, "x")));
            log.add(record);
            added.add(record);
        }
        return added;
    }

    private long durable(long asked) {
        return log.durable(Map.of(PARTITION, new OffsetAndMetadata(asked)))
                .get(PARTITION)
                .offset();
    }

    @Test
    void theFirstRecordThatIsNotDurableIsTheLimit() {
        List<PendingRecord> records = add(4, 5, 9);
        assertThat(durable(10)).isEqualTo(4);

        records.get(1).done();
        assertThat(durable(10)).as("4 is missing").isEqualTo(4);
        assertThat(log.size()).isEqualTo(3);

        records.get(0).done();
        assertThat(durable(10)).isEqualTo(9);
        records.get(2).done();
        assertThat(durable(10)).isEqualTo(10);
        assertThat(log.size()).isZero();
    }

    @Test
    void noMoreIsCommittedThanIsAskedFor() {
        add(7);

        assertThat(durable(5)).isEqualTo(5);
    }

    @Test
    void aPartitionThatIsGoneHoldsNothingBack() {
        List<PendingRecord> records = add(1, 2);

        log.drop(Set.of(PARTITION));

        assertThat(records).allMatch(PendingRecord::isDone);
        assertThat(log.size()).isZero();
        assertThat(durable(3)).isEqualTo(3);
    }
}
