package io.georep.netty;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** What docs/how-it-works/wire-format.md says, written down again without any code of the product. */
final class WireWords {
    static final String CLUSTER = "the-cluster";

    private static final int MEMBERSHIP = 1;
    private static final int OUTBOX = 2;
    private static final int NONCE = 7;
    static final int INCARNATION = 9;

    private WireWords() {}

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] u8(int value) {
        return new byte[] {(byte) value};
    }

    private static byte[] i32(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    static byte[] i64(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    static byte[] varint(long value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long rest = value;
        while (Long.compareUnsigned(rest, 0x7f) > 0) {
            out.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
        return out.toByteArray();
    }

    static byte[] bytes(byte[] bytes) {
        return join(varint(bytes.length), bytes);
    }

    static byte[] text(String text) {
        return bytes(ascii(text));
    }

    private static byte[] checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return i32((int) crc.getValue());
    }

    /** HELLO of the link layer, to whoever answers; the identity claims this address. */
    static byte[] hello(String id, String address) {
        return hello(CLUSTER, id, address);
    }

    static byte[] hello(String cluster, String id, String address) {
        return envelope(1, join(u8(1), u8(1), text(cluster), identity(id, address), text(""), u8(0)));
    }

    /** ACCEPT of the link layer. */
    static byte[] accept(String id, String address) {
        return envelope(2, join(u8(1), identity(id, address)));
    }

    /** Of a node with membership and outbox. */
    private static byte[] identity(String id, String address) {
        byte[] channels = join(u8(2), u8(MEMBERSHIP), u8(1), text("membership"), u8(OUTBOX), u8(1), text("outbox"));
        return join(text(id), varint(INCARNATION), i64(0), i64(NONCE), text(address), text("nowhere"), channels);
    }

    private static byte[] envelope(int kind, byte[] body) {
        byte[] head = join(ascii("GEOR"), u8(kind), u8(body.length >>> 8), u8(body.length), body);
        return join(head, checksum(head));
    }

    /** A frame in one chunk: the sender hears the receiver, and has heard no frame of it. */
    static byte[] frame(long number, byte[]... messages) {
        return chunk(join(header(1, INCARNATION, number, 0, 0, 30_000), join(messages)));
    }

    /** The header of a frame, with these values in the order of the page. */
    static byte[] header(int flags, long... numbers) {
        byte[][] fields = Arrays.stream(numbers).mapToObj(WireWords::varint).toArray(byte[][]::new);
        return join(u8(1), u8(flags), join(fields));
    }

    static byte[] chunk(byte[] frame) {
        byte[] head = i32(frame.length);
        return join(head, checksum(join(head, frame)), frame);
    }

    static byte[] message(int channel, int type, byte[]... fields) {
        return join(u8(channel), u8(type), bytes(join(fields)));
    }

    /** HELLO of the membership, from a node that knows nobody. */
    static byte[] greeting() {
        return message(MEMBERSHIP, 1, varint(1));
    }

    /** GOODBYE for good. */
    static byte[] goodbye() {
        return message(MEMBERSHIP, 5, varint(1), varint(0));
    }

    /** PEERS: an operator has removed this node, whatever its incarnation is. */
    static byte[] removed(String id, String address) {
        return peer(id, address, 1L << 40);
    }

    /** PEERS: so many nodes that nobody else has heard of. */
    static byte[] invented(String prefix, int count, String address) {
        byte[][] lines = new byte[count][];
        for (int i = 0; i < count; i++) {
            lines[i] = line(prefix + i, address, 0);
        }
        return message(MEMBERSHIP, 3, varint(count), join(lines));
    }

    /** PEERS with one line. */
    private static byte[] peer(String id, String address, long removedBelow) {
        return message(MEMBERSHIP, 3, varint(1), line(id, address, removedBelow));
    }

    private static byte[] line(String id, String address, long removedBelow) {
        long day = 86_400_000;
        return join(
                text(id),
                text(address),
                text("nowhere"),
                varint(1),
                i64(0),
                i64(0),
                varint(0),
                varint(0),
                varint(0),
                u8(0),
                varint(removedBelow),
                varint(day),
                varint(day));
    }

    /** A stream's entries from 0 on. */
    record Entries(String origin, long boot, int lane, String queue, int count) {
        byte[] stream() {
            return join(text(origin), varint(boot), varint(lane));
        }

        private byte[] all() {
            return ranges(0, count);
        }
    }

    static byte[] ranges(long from, long length) {
        return join(varint(1), varint(from), varint(length));
    }

    static byte[] delete(Entries entries) {
        return delete(entries, entries.all());
    }

    static byte[] delete(Entries entries, byte[] ranges) {
        return message(OUTBOX, 3, entries.stream(), text(entries.queue()), ranges);
    }

    /** ACK: the copies are stored. */
    static byte[] stored(Entries entries) {
        return message(OUTBOX, 2, entries.stream(), u8(0), varint(0), entries.all());
    }

    /** UPDATE: the first of these owners claims the entries. */
    static byte[] claim(Entries entries, long epoch, String... owners) {
        return message(OUTBOX, 5, entries.stream(), text(entries.queue()), custody(epoch, owners), entries.all());
    }

    /** What the page calls custody, with the owners in their order. */
    static byte[] custody(long epoch, String... owners) {
        byte[] names = join(Arrays.stream(owners).map(WireWords::text).toArray(byte[][]::new));
        byte[] order = new byte[owners.length];
        for (int i = 0; i < order.length; i++) {
            order[i] = (byte) i;
        }
        return join(varint(epoch), u8(owners.length), names, order);
    }

    /** REPLICATE: copies of one byte each. */
    static byte[] copies(Entries entries, long first, byte[] custody) {
        int count = entries.count();
        byte[][] lengths = new byte[count][];
        Arrays.fill(lengths, varint(1));
        return message(
                OUTBOX,
                1,
                u8(1),
                u8(0),
                entries.stream(),
                varint(first),
                text(entries.queue()),
                custody,
                varint(count),
                join(lengths),
                new byte[count]);
    }

    /** A message of the handshake with a shared secret. */
    static byte[] preamble(int kind, int filling) {
        byte[] body = new byte[32];
        Arrays.fill(body, (byte) filling);
        return join(ascii("GEOS"), u8(1), u8(kind), body);
    }
}
