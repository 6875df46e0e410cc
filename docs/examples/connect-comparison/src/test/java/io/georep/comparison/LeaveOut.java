package io.georep.comparison;

import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.Transformation;

/** Leaves out texts that begin with drop. */
public final class LeaveOut implements Transformation<SourceRecord> {
    /** Called by the hosts. */
    public LeaveOut() {}

    @Override
    public SourceRecord apply(SourceRecord record) {
        return String.valueOf(record.value()).startsWith("drop") ? null : record;
    }

    @Override
    public ConfigDef config() {
        return new ConfigDef();
    }

    @Override
    public void close() {}

    @Override
    public void configure(Map<String, ?> configs) {}
}
