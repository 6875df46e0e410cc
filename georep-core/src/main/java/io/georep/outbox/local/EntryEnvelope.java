package io.georep.outbox.local;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What travels with the payload of an entry. The protocol does not look inside; only the sending and the forwarding outbox do.
 *
 * <pre>
 * u8      version (upper 3 bits, now 1) and flags (lower 5 bits)
 * varint  enqueuedAtMillis
 * varint  delayMillis                          if flag 1
 * varint  lifeMillis                           if flag 2
 * varint  count, (text name, text value)*      if flag 4
 * text    producerKey                          if flag 8
 * body    up to the end
 * </pre>
 *
 * @param enqueuedAtMillis wall clock of the origin when it accepted the entry
 * @param delayMillis for how long after that no handler gets the entry; 0 for none
 * @param lifeMillis how long after that the entry is dropped; 0 for never
 * @param headers small texts, in order
 * @param producerKey the producer's own key; null for none
 * @param body the bytes of the payload
 */
public record EntryEnvelope(
        long enqueuedAtMillis,
        long delayMillis,
        long lifeMillis,
        Map<String, String> headers,
        @Nullable String producerKey,
        Slice body) {
    private static final int VERSION = 1;
    private static final int FLAG_BITS = 5;
    private static final int DELAY = 1;
    private static final int LIFE = 2;
    private static final int HEADERS = 4;
    private static final int KEY = 8;
    private static final int FLAGS_KNOWN = DELAY | LIFE | HEADERS | KEY;

    /** Returns all but the texts of headers and producer key, which must not be in a log. */
    @Override
    public String toString() {
        return "EntryEnvelope[" + body.length() + " bytes, " + headers.size() + " headers]";
    }

    /** Returns when a handler may get the entry, in milliseconds of the wall clock. */
    public long notBeforeMillis() {
        return enqueuedAtMillis + delayMillis;
    }

    /** Returns whether the entry must no longer be forwarded at this time. */
    public boolean expiredAt(long wallMillis) {
        return lifeMillis > 0 && wallMillis - enqueuedAtMillis >= lifeMillis;
    }

    /** Returns the bytes to store. The body is copied. */
    public Slice encode() {
        BinWriter out = new BinWriter(body.length() + 8 + (headers.isEmpty() && producerKey == null ? 10 : 100));
        int flags = (delayMillis > 0 ? DELAY : 0)
                | (lifeMillis > 0 ? LIFE : 0)
                | (headers.isEmpty() ? 0 : HEADERS)
                | (producerKey == null ? 0 : KEY);
        out.u8(VERSION << FLAG_BITS | flags).varint(enqueuedAtMillis);
        if (delayMillis > 0) {
            out.varint(delayMillis);
        }
        if (lifeMillis > 0) {
            out.varint(lifeMillis);
        }
        if (!headers.isEmpty()) {
            out.varint(headers.size());
            headers.forEach((name, value) -> out.text(name).text(value));
        }
        if (producerKey != null) {
            out.text(producerKey);
        }
        return out.raw(body).view();
    }

    /**
     * Reads what {@link #encode} wrote; the body is shared.
     *
     * @throws MalformedException when it means nothing to this version
     */
    public static EntryEnvelope decode(Slice bytes) {
        BinReader in = new BinReader(bytes);
        int first = in.u8();
        int version = first >>> FLAG_BITS;
        int flags = first & ((1 << FLAG_BITS) - 1);
        if (version != VERSION || (flags & ~FLAGS_KNOWN) != 0) {
            throw new MalformedException("entry payload of version " + version + " with flags " + flags
                    + ", this node reads version " + VERSION + " with flags up to " + FLAGS_KNOWN
                    + ": forward it on a node with a newer version of this library");
        }
        long enqueuedAt = in.varint(Long.MAX_VALUE / 4, "time of acceptance");
        long delay = (flags & DELAY) == 0 ? 0 : in.varint(Long.MAX_VALUE / 4, "delay");
        long life = (flags & LIFE) == 0 ? 0 : in.varint(Long.MAX_VALUE / 4, "time to live");
        Map<String, String> headers = (flags & HEADERS) == 0 ? Map.of() : headers(in);
        String key = (flags & KEY) == 0 ? null : in.text();
        return new EntryEnvelope(enqueuedAt, delay, life, headers, key, in.raw(in.remaining()));
    }

    private static Map<String, String> headers(BinReader in) {
        int count = in.count(2, "headers");
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            headers.put(in.text(), in.text());
        }
        return Collections.unmodifiableMap(headers);
    }
}
