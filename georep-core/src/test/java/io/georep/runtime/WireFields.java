package io.georep.runtime;

import io.georep.codec.BinWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Every field of every message that comes from another node, with what it may be: the one table behind
 * {@link WireBoundsTest}. It repeats docs/how-it-works/wire-format.md on purpose and uses no constant of the code it tests.
 */
public final class WireFields {
    /** Most of what is counted up from what others send: nobody gets that far. */
    static final long COUNT_MAX = (1L << 55) - 1;

    static final long BOOT_MAX = (1L << 62) - 1;
    static final long MILLIS_MAX = (1L << 44) - 1;
    static final long MICROS_MAX = (1L << 52) - 1;

    /** A value for one field, and whether a reader takes it. */
    public record Probe(Field field, Object value, boolean taken) {}

    /** One field of a message. */
    public sealed interface Field permits Number, Byte, Fixed, Text {
        String name();

        void write(BinWriter out, Object value);

        Object usual();

        List<Probe> probes();
    }

    /** A varint from min to max. */
    public record Number(String name, Long usual, long min, long max) implements Field {
        @Override
        public void write(BinWriter out, Object value) {
            out.varint((Long) value);
        }

        @Override
        public List<Probe> probes() {
            Set<Long> values = new LinkedHashSet<>(List.of(
                    0L,
                    1L,
                    min,
                    min - 1,
                    max - 1,
                    max,
                    max + 1,
                    1L << 31,
                    1L << 60,
                    Long.MAX_VALUE,
                    -1L,
                    Long.MIN_VALUE));
            return values.stream()
                    .map(value -> new Probe(this, value, value >= min && value <= max))
                    .toList();
        }
    }

    /** One byte out of a few. */
    public record Byte(String name, Integer usual, Integer... allowed) implements Field {
        @Override
        public void write(BinWriter out, Object value) {
            out.u8((Integer) value);
        }

        @Override
        public List<Probe> probes() {
            List<Probe> probes = new ArrayList<>();
            for (int value = 0; value < 256; value = value < 20 ? value + 1 : value * 2 - 1) {
                probes.add(new Probe(this, value, Arrays.asList(allowed).contains(value)));
            }
            probes.add(new Probe(this, 255, Arrays.asList(allowed).contains(255)));
            return probes;
        }
    }

    /** Eight bytes that may be anything. */
    public record Fixed(String name, Long usual) implements Field {
        @Override
        public void write(BinWriter out, Object value) {
            out.i64((Long) value);
        }

        @Override
        public List<Probe> probes() {
            return List.of(0L, 1L, 1L << 31, Long.MAX_VALUE, -1L, Long.MIN_VALUE).stream()
                    .map(value -> new Probe(this, value, true))
                    .toList();
        }
    }

    /** Bytes with their length before them. */
    public record Text(String name, String usual, int min, int max, boolean isNode, boolean exact) implements Field {
        Text(String name, String usual, int min, int max, boolean isNode) {
            this(name, usual, min, max, isNode, false);
        }

        @Override
        public void write(BinWriter out, Object value) {
            if (value instanceof Long length) {
                out.varint(length).u8('x'); // says that it is longer than all that comes
            } else {
                out.text((String) value);
            }
        }

        @Override
        public List<Probe> probes() {
            List<Probe> probes = new ArrayList<>();
            for (int length : new LinkedHashSet<>(List.of(0, 1, min, max, max + 1, 2 * max, 1 << 16))) {
                boolean taken = length >= min && length <= max && !exact;
                probes.add(new Probe(this, "x".repeat(length), taken));
            }
            probes.add(new Probe(this, "é".repeat(max / 2 + 1), false)); // bytes count, not characters
            probes.add(new Probe(this, "a\nb", !name.equals("address") && !name.equals("site") && !isNode));
            for (long length : new long[] {1L << 31, Long.MAX_VALUE, -1L}) {
                probes.add(new Probe(this, length, false));
            }
            return probes;
        }
    }

    /**
     * One message, or one of the forms it has.
     *
     * @param channel 0 for the header of the frame itself
     */
    public record Message(String name, int channel, int type, List<Field> fields) {
        /** The body with the usual value in every field but one. */
        public byte[] with(Probe probe) {
            BinWriter out = new BinWriter();
            for (Field field : fields) {
                field.write(out, field == probe.field() ? probe.value() : field.usual());
            }
            return out.toArray();
        }

        /** The body with the usual value in every field. */
        byte[] usual() {
            BinWriter out = new BinWriter();
            fields.forEach(field -> field.write(out, field.usual()));
            return out.toArray();
        }
    }

    private WireFields() {}

    /** The header before the messages of a frame. */
    static final Message HEADER = header("frame header", new Byte("flags", 1, 0, 1, 2, 3), List.of());

    /** The same while the receiver has not confirmed what it says about the cluster. */
    static final Message CLUSTER_HEADER = header(
            "frame header with cluster",
            new Byte("flags", 5, 4, 5, 6, 7),
            List.of(new Fixed("cluster", 1L), new Byte("standing", 0, 0, 1, 2), new Fixed("digest", 1L)));

    private static Message header(String name, Field flags, List<Field> cluster) {
        List<Field> fields = new ArrayList<>(List.of(
                new Byte("format", 1, 1),
                flags,
                new Number("incarnation", 1L, 1, COUNT_MAX),
                new Number("frame number", 100L, 1, COUNT_MAX),
                new Number("echo number", 1L, 0, COUNT_MAX),
                new Number("echo age", 1000L, 0, MICROS_MAX),
                new Number("patience", 30_000L, 0, MILLIS_MAX)));
        fields.addAll(cluster);
        return new Message(name, 0, 0, fields);
    }

    /** What the handshake says about either side. */
    public static final Message IDENTITY = new Message(
            "identity",
            0,
            0,
            List.of(
                    new Text("id", "nyc-1", 1, 64, true),
                    new Number("incarnation", 1L, 1, COUNT_MAX),
                    new Fixed("generation", 2L),
                    new Fixed("nonce", 3L),
                    new Text("address", "host:1", 0, 262, false),
                    new Text("site", "us", 0, 128, false)));

    /** All messages. */
    static List<Message> messages() {
        List<Message> all = new ArrayList<>();
        for (int type : new int[] {2, 3}) {
            all.add(new Message(type == 2 ? "WELCOME" : "PEERS", 1, type, peerEntry("d", 1)));
            all.add(new Message("own line", 1, type, peerEntry("a", 7)));
        }
        all.add(new Message("HELLO", 1, 1, List.of(new Number("lines", 1L, 1, Integer.MAX_VALUE))));
        List<Field> digests = new ArrayList<>(List.of(new Byte("answer", 0, 0, 1)));
        for (int bucket = 0; bucket < 64; bucket++) {
            digests.add(new Fixed("sum " + bucket, 1L));
        }
        all.add(new Message("DIGESTS", 1, 7, digests));
        all.add(new Message("CLOCK", 1, 8, List.of(new Number("wall clock", 1_700_000_000_000L, 0, MILLIS_MAX))));
        all.add(new Message("HEARTBEAT", 1, 4, List.of(new Fixed("digest", 5L))));
        all.add(new Message(
                "GOODBYE",
                1,
                5,
                List.of(new Number("number", 1L, 1, COUNT_MAX), new Number("away", 60_000L, 0, MILLIS_MAX))));
        all.add(new Message("GOODBYE_OK", 1, 6, List.of(new Number("number", 1L, 1, COUNT_MAX))));
        all.add(new Message("REPLICATE", 2, 1, group()));
        all.add(new Message("ACK", 2, 2, join(stream(), List.of(new Byte("status", 0, 0, 1, 2), epoch()), ranges())));
        for (int type : new int[] {3, 9, 11, 12}) {
            all.add(new Message("queue and ranges " + type, 2, type, join(stream(), List.of(queue()), ranges())));
        }
        for (int type : new int[] {4, 8}) {
            all.add(new Message("ranges " + type, 2, type, join(stream(), ranges())));
        }
        for (int type : new int[] {5, 7}) {
            all.add(new Message(
                    "claim " + type,
                    2,
                    type,
                    join(stream(), List.of(queue()), custody(false, "b", "a", "c"), ranges())));
        }
        all.add(new Message("UPDATED", 2, 6, join(stream(), List.of(epoch()), ranges())));
        all.add(new Message(
                "ANSWER with custody",
                2,
                10,
                join(
                        stream(),
                        List.of(queue(), new Byte("status", 1, 1, 2, 4)),
                        custody(false, "b", "a", "c"),
                        ranges())));
        all.add(new Message(
                "ANSWER without custody",
                2,
                10,
                join(stream(), List.of(queue(), new Byte("status", 3, 0, 3)), ranges())));
        return all;
    }

    private static List<Field> peerEntry(String id, long incarnation) {
        return List.of(
                new Number("count", 1L, 1, 1),
                new Text("id", id, 1, 64, true),
                new Text("address", "host:1", 0, 262, false),
                new Text("site", "site", 0, 128, false),
                new Number("incarnation", incarnation, 0, COUNT_MAX),
                new Fixed("generation", 3L),
                new Fixed("nonce", 4L),
                new Number("goodbye", 0L, 0, COUNT_MAX),
                new Number("return", 0L, 0, MILLIS_MAX),
                new Number("drain version", 2L, 0, COUNT_MAX),
                new Byte("drained", 0, 0, 1),
                new Number("removed below", 0L, 0, COUNT_MAX + 1),
                new Number("removal", 0L, 0, MILLIS_MAX),
                new Number("memory", 604_800_000L, 0, MILLIS_MAX));
    }

    private static List<Field> group() {
        return join(
                List.of(new Byte("format", 1, 1), new Byte("flags", 0, 0, 1)),
                stream(),
                List.of(new Number("first", 0L, 0, COUNT_MAX), queue()),
                custody(true, "b", "a", "c"),
                List.of(
                        new Number("count", 1L, 1, 1),
                        new Number("length", 1L, 1, 1),
                        new Byte(
                                "payload",
                                7,
                                java.util.stream.IntStream.range(0, 256).boxed().toArray(Integer[]::new))));
    }

    private static List<Field> stream() {
        return List.of(
                new Text("origin", "b", 1, 64, true),
                new Number("boot", 9L, 1, BOOT_MAX),
                new Number("lane", 0L, 0, 65_535));
    }

    private static Field queue() {
        return new Text("queue", "queue", 1, 255, false);
    }

    private static Field epoch() {
        return new Number("epoch", 0L, 0, COUNT_MAX);
    }

    /** In a group the sender and the receiver must be owners. */
    private static List<Field> custody(boolean copies, String... owners) {
        List<Field> fields = new ArrayList<>(List.of(epoch(), new Byte("owners", owners.length, owners.length)));
        for (String owner : owners) {
            fields.add(new Text("owner " + owner, owner, 1, 64, true, copies && !owner.equals("c")));
        }
        for (int i = 0; i < owners.length; i++) {
            fields.add(new Byte("order " + i, i, i));
        }
        return fields;
    }

    /** Numbers of entries are at most 2⁵⁵ - 1, so a range ends at 2⁵⁵ at most. */
    private static List<Field> ranges() {
        return List.of(
                new Number("ranges", 1L, 1, 1), // as many as follow
                new Number("gap", 0L, 0, COUNT_MAX),
                new Number("length", 1L, 1, COUNT_MAX + 1));
    }

    @SafeVarargs
    private static List<Field> join(List<Field>... parts) {
        return Arrays.stream(parts).flatMap(List::stream).toList();
    }
}
