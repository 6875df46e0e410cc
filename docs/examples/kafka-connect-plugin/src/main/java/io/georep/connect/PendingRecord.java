package io.georep.connect;

import io.georep.codec.RecordEnvelope;
import io.georep.outbox.SendOptions;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/** A record on its way to f + 1 nodes. */
final class PendingRecord {
    final SinkRecord record;
    final TopicPartition partition;
    final long offset;
    final byte[] payload;
    final SendOptions options;

    /** Whether it needs no more sending: it is durable, or reported, or its partition was taken from this task. */
    private volatile boolean done;

    /** A record at the place that it has in its topic, whatever transformations made of it. */
    PendingRecord(SinkRecord record, RecordEnvelope envelope) {
        this.record = record;
        this.partition = new TopicPartition(record.originalTopic(), record.originalKafkaPartition());
        this.offset = record.originalKafkaOffset();
        this.payload = envelope.payload();
        // The same each time it is sent, so that the consumer can recognise repetitions.
        this.options = SendOptions.defaults().headers(envelope.entryHeaders()).producerKey(partition + "@" + offset);
    }

    boolean isDone() {
        return done;
    }

    void done() {
        done = true;
    }
}
