package io.georep.simulation;

import io.georep.model.Slice;
import io.georep.spi.StoreBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What happened, as a hash over everything and the text of the last events. Two runs are the same run if and only if
 * their hashes are equal.
 */
public final class Trace {
    private static final int KEPT = 64;
    private static final long PRIME = 0x100000001b3L;

    private record Line(long time, String kind, Object subject, Object object, Object detail) {
        @Override
        public String toString() {
            return "%14.6f %-9s %s %s %s"
                    .formatted(time / 1e9, kind, subject, object == null ? "" : object, detail == null ? "" : detail);
        }
    }

    private final Line[] lines = new Line[KEPT];
    private final CRC32C crc = new CRC32C();
    private long hash = 0xcbf29ce484222325L;
    private int next;

    /**
     * Notes an event.
     *
     * @param time when
     * @param kind one word
     * @param subject who, for the text and (through its text) nothing else
     * @param object with whom, or null
     * @param detail more for the text, formatted only when the run fails, or null
     * @param value what of the detail goes into the hash
     */
    public void note(long time, String kind, Object subject, Object object, Object detail, long value) {
        mix(time);
        mix(kind.hashCode());
        mix(subject.toString().hashCode());
        mix(value);
        lines[next++ % KEPT] = new Line(time, kind, subject, object, detail);
    }

    private void mix(long value) {
        hash = (hash ^ value) * PRIME;
        hash ^= hash >>> 29;
    }

    /** Checksum of bytes, for {@link #note}. */
    long checksum(byte[] bytes, int offset, int length) {
        crc.reset();
        crc.update(bytes, offset, length);
        return crc.getValue() << 24 ^ length;
    }

    /** Checksum of bytes, for {@link #note}. */
    public long checksum(Slice bytes) {
        return checksum(bytes.array(), bytes.offset(), bytes.length());
    }

    /** Hash of everything noted so far. */
    public long hash() {
        return hash;
    }

    /** The last events, oldest first. */
    List<String> tail() {
        List<String> tail = new ArrayList<>();
        for (int i = Math.max(0, next - KEPT); i < next; i++) {
            tail.add(lines[i % KEPT].toString());
        }
        return tail;
    }

    /** Of what a batch does. */
    long checksum(StoreBatch batch) {
        long sum = batch.isDurableRequired() ? 1 : 0;
        for (StoreBatch.Op op : batch.ops()) {
            sum = sum * 31 + op.kind().ordinal();
            sum = sum * 31 + checksum(op.key(), 0, op.key().length);
            sum = sum * 31 + checksum(op.value());
        }
        return sum;
    }
}
