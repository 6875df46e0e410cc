package io.georep.comparison;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.storage.Converter;

/** Texts, except that it fails with some, and with some only at first: {@code bad…}, {@code later…}. */
public final class FussyConverter implements Converter {
    /** How often it refuses a text that begins with later. */
    static final int REFUSALS = 2;

    private Journal journal = Journal.of(Map.of());
    private String kind = "";

    /** Called by the hosts. */
    public FussyConverter() {}

    @Override
    public void configure(Map<String, ?> configs, boolean isKey) {
        kind = isKey ? "key" : "value";
        journal = Journal.of(Map.of("name", String.valueOf(configs.get("of"))));
    }

    @Override
    public ConfigDef config() {
        return new ConfigDef().define("of", ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "the connector");
    }

    private void look(String text) {
        if (text != null && text.startsWith("bad")) {
            journal.tell("fails at " + kind + " " + text);
            throw new DataException("cannot read a " + kind);
        }
        if (text != null && text.startsWith("later") && journal.count(kind + text) <= REFUSALS) {
            journal.tell("fails for now at " + kind + " " + text);
            throw new RetriableException("not yet");
        }
    }

    @Override
    public byte[] fromConnectData(String topic, Schema schema, Object value) {
        String text = value == null ? null : value.toString();
        look(text);
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public SchemaAndValue toConnectData(String topic, byte[] value) {
        String text = value == null ? null : new String(value, StandardCharsets.UTF_8);
        look(text);
        return new SchemaAndValue(Schema.OPTIONAL_STRING_SCHEMA, text);
    }
}
