package io.georep.comparison;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.apache.kafka.connect.source.SourceRecord;

/** What a connector does in a scenario. */
interface Script {
    /** A sink got records, never none. */
    default void put(Journal journal, SinkTaskContext context, List<SinkRecord> records) {}

    /** A sink was called without records. */
    default void idle(Journal journal, SinkTaskContext context) {}

    /** A sink says what is flushed. */
    default Map<TopicPartition, OffsetAndMetadata> preCommit(
            Journal journal, SinkTaskContext context, Map<TopicPartition, OffsetAndMetadata> current) {
        return current;
    }

    /** A source gives records after its offset, which is null at first; none if there are none. */
    default List<SourceRecord> poll(Journal journal, Map<String, Object> offset) {
        return List.of();
    }
}
