package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class SinglePutsTest {
    private static final int SUSPECTS = 1_000;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final PartitionLog log = new PartitionLog(new TopicPartition("sms", 0), 0);
    private final SinglePuts singly = new SinglePuts(List.of(log), nanos::get);

    /** Puts what was taken one by one to a sink that flushes each of them so much later; returns how long that took. */
    private Duration puts(Duration flushAfter) {
        for (int i = (int) log.position(); i < SUSPECTS; i++) {
            SinkEntry entry = SinkIntakeTest.entryOf("sms", new Endings());
            entry.offset(i);
            log.addAll(List.of(entry));
        }
        long begun = nanos.get();
        while (singly.next()) {
            singly.begin();
            long put = nanos.get();
            log.delivered(log.position() + 1);
            while (singly.waitForFlush() && nanos.get() - put < flushAfter.toNanos()) {
                nanos.addAndGet(1_000_000);
            }
            log.commit(log.position());
        }
        return Duration.ofNanos(nanos.get() - begun);
    }

    /** A full window would take an hour, and what is behind it would wait. */
    @Test
    void aSinkThatFlushesLateIsNotWaitedForAllTheTime() {
        singly.suspect(SUSPECTS);

        assertThat(puts(Duration.ofSeconds(4))).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(65));
    }

    @Test
    void aFailureBeginsAnew() {
        singly.suspect(SUSPECTS / 2);
        nanos.addAndGet(Duration.ofHours(1).toNanos()); // the pause before the restart
        for (int life = 0; life < 2; life++) {
            long before = log.position();
            assertThat(puts(Duration.ofMillis(100))).isEqualTo(Duration.ofMillis(50 * 1_000));
            assertThat(log.position()).isEqualTo(before + SUSPECTS / 2);
            singly.suspect(SUSPECTS);
        }
    }
}
