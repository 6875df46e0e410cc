package io.georep.codec;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How an entry carries a record of Kafka Connect, whose parts converters have made bytes of. All that run connectors share it. The
 * value is the payload. The rest travels as headers of the entry, so that listeners can read it:
 *
 * <pre>
 * connect.key          the key, if it is UTF-8
 * connect.key.base64   the key, if it is not
 * connect.timestamp    milliseconds of the wall clock, if the record has a time of its own
 * connect.value        null, if there is no value; the payload is then empty
 * &lt;name&gt;               a header of the record whose name occurs once and whose value is UTF-8
 * connect.headers      all other headers of the record: name=value,name=value…, names as in URLs, values in Base64 for URLs;
 *                      a name alone has no value
 * connect.envelope     version of this format; without it the version is 1
 * </pre>
 *
 * @param key null if there is none
 * @param value null if there is none
 * @param timestamp milliseconds of the wall clock; null if the record has no time of its own
 */
public record RecordEnvelope(
        byte @Nullable [] key,
        byte @Nullable [] value,
        @Nullable Long timestamp,
        List<RawHeader> headers) {
    static final String KEY = "connect.key";
    static final String KEY_BYTES = "connect.key.base64";
    static final String TIMESTAMP = "connect.timestamp";
    static final String VALUE = "connect.value";
    static final String HEADERS = "connect.headers";
    static final String VERSION = "connect.envelope";

    private static final String NO_VALUE = "null";
    private static final String VERSION_NOW = "1";
    private static final Set<String> RESERVED = Set.of(KEY, KEY_BYTES, TIMESTAMP, VALUE, HEADERS, VERSION);
    private static final byte[] NOTHING = {};

    /**
     * A header of a record.
     *
     * @param value null if there is none
     */
    public record RawHeader(String name, byte @Nullable [] value) {}

    /** Returns the payload of the entry. */
    public byte[] payload() {
        return value == null ? NOTHING : value;
    }

    /** Returns the headers of the entry. */
    public Map<String, String> entryHeaders() {
        Map<String, String> texts = new LinkedHashMap<>();
        if (key != null) {
            String text = text(key);
            texts.put(
                    text == null ? KEY_BYTES : KEY,
                    text == null ? Base64.getEncoder().encodeToString(key) : text);
        }
        if (timestamp != null) {
            texts.put(TIMESTAMP, timestamp.toString());
        }
        if (value == null) {
            texts.put(VALUE, NO_VALUE);
        }
        Map<String, Integer> occurrences = new LinkedHashMap<>();
        headers.forEach(header -> occurrences.merge(header.name(), 1, Integer::sum));
        StringBuilder others = new StringBuilder();
        for (RawHeader header : headers) {
            String text = header.value() == null ? null : text(header.value());
            boolean once = Integer.valueOf(1).equals(occurrences.get(header.name()));
            if (text != null && once && !RESERVED.contains(header.name())) {
                texts.put(header.name(), text);
            } else {
                append(others, header);
            }
        }
        if (!others.isEmpty()) {
            texts.put(HEADERS, others.toString());
        }
        return texts;
    }

    private static void append(StringBuilder to, RawHeader header) {
        to.append(to.isEmpty() ? "" : ",").append(URLEncoder.encode(header.name(), StandardCharsets.UTF_8));
        if (header.value() != null) {
            to.append('=').append(Base64.getUrlEncoder().withoutPadding().encodeToString(header.value()));
        }
    }

    /**
     * Reads an entry, whoever sent it. An entry that no source sent is a record with a value, and with the headers
     * that the entry has.
     *
     * @throws MalformedException if the headers cannot be read
     */
    public static RecordEnvelope read(byte[] payload, Map<String, String> entryHeaders) {
        if (entryHeaders.isEmpty()) {
            return new RecordEnvelope(null, payload, null, List.of());
        }
        String version = entryHeaders.getOrDefault(VERSION, VERSION_NOW);
        if (!version.equals(VERSION_NOW)) {
            throw new MalformedException(
                    "the entry carries a record in version '" + version + "', this node reads version " + VERSION_NOW
                            + ": forward it on a node with a newer version of this library");
        }
        byte[] key = null;
        Long timestamp = null;
        boolean empty = false;
        List<RawHeader> headers = new ArrayList<>();
        String others = null;
        for (Map.Entry<String, String> header : entryHeaders.entrySet()) {
            String text = header.getValue();
            switch (header.getKey()) {
                case KEY -> key = text.getBytes(StandardCharsets.UTF_8);
                case KEY_BYTES -> key = base64(Base64.getDecoder(), KEY_BYTES, text);
                case TIMESTAMP -> timestamp = number(text);
                case VALUE -> empty = isNull(text);
                case HEADERS -> others = text;
                case VERSION -> {}
                default -> headers.add(new RawHeader(header.getKey(), text.getBytes(StandardCharsets.UTF_8)));
            }
        }
        if (others != null) {
            for (String item : others.split(",", -1)) {
                headers.add(header(item));
            }
        }
        return new RecordEnvelope(key, empty ? null : payload, timestamp, headers);
    }

    private static RawHeader header(String item) {
        int sign = item.indexOf('=');
        String name = sign < 0 ? item : item.substring(0, sign);
        try {
            return new RawHeader(
                    URLDecoder.decode(name, StandardCharsets.UTF_8),
                    sign < 0 ? null : base64(Base64.getUrlDecoder(), HEADERS, item.substring(sign + 1)));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(
                    "header " + HEADERS + " of the entry has a name that is not written as in URLs");
        }
    }

    private static byte[] base64(Base64.Decoder decoder, String name, String text) {
        try {
            return decoder.decode(text);
        } catch (IllegalArgumentException e) {
            throw new MalformedException("header " + name + " of the entry is not Base64");
        }
    }

    private static Long number(String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw new MalformedException("header " + TIMESTAMP + " of the entry is not a number of milliseconds");
        }
    }

    private static boolean isNull(String text) {
        if (!text.equals(NO_VALUE)) {
            throw new MalformedException("header " + VALUE + " of the entry is not '" + NO_VALUE + "'");
        }
        return true;
    }

    /** The text that has these bytes in UTF-8; null if there is none. */
    private static @Nullable String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
