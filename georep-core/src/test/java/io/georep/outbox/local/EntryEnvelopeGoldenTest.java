package io.georep.outbox.local;

import io.georep.codec.GoldenFormats;
import io.georep.model.Slice;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Bytes of entry payloads. */
class EntryEnvelopeGoldenTest extends GoldenFormats {
    private static final int VERSION = 1;
    private static final long TIME = 1_800_000_000_000L;

    @Override
    protected String file() {
        return "entry-payload";
    }

    @Override
    protected List<Format> formats() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("a", "1");
        headers.put("b", "");
        Slice body = Slice.utf8("body");
        return List.of(
                envelope("plain", new EntryEnvelope(TIME, 0, 0, Map.of(), null, body)),
                envelope("delayed", new EntryEnvelope(TIME, 10_000, 0, Map.of(), null, body)),
                envelope("mortal", new EntryEnvelope(TIME, 0, 60_000, Map.of(), null, body)),
                envelope("with headers", new EntryEnvelope(TIME, 0, 0, headers, null, body)),
                envelope("with a key", new EntryEnvelope(TIME, 0, 0, Map.of(), "key", Slice.EMPTY)),
                envelope("with everything", new EntryEnvelope(TIME, 10_000, 60_000, headers, "key", body)));
    }

    private static Format envelope(String name, EntryEnvelope value) {
        return format(name, VERSION, value.encode(), value, in -> EntryEnvelope.decode(in.raw(in.remaining())));
    }
}
