package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Replicated maps in the store. All keys of the store start with the channel byte.
 *
 * <pre>
 * 04 'C' key       committed key: version | varint clock | node head | varint expiresAt | content
 * 04 'D' i64       uncommitted writes: group, as in frames
 * 04 'O' client    last operation of a client: version | varint operation | u8 applied | content
 * 04 'V'           this node: varint activeView | version applied | varint clock | version horizon | version wiped | [u8 1 partial]
 * version = varint view | varint commit
 * content = u8 0 none, or u8 1 and the value's bytes to the end
 * </pre>
 *
 * <p>{@code horizon}: up to this version removals are forgotten. {@code wiped}: the horizon of the node from which this one took
 * everything anew, after it had dropped all it had. {@code partial}: records newer than {@code applied} are here, but not all that
 * was committed before them, for a transfer has not come to its end.
 */
final class FunnelLayout {
    /** Bytes before the name of a key or client. */
    static final int PREFIX_BYTES = 2;

    static final byte[] SELF = {FunnelProtocol.CHANNEL, 'V'};
    private static final int NONE = 0;
    private static final int PRESENT = 1;

    private FunnelLayout() {}

    /** What the node keeps of itself. */
    record Self(long activeView, Version applied, long clock, Version horizon, Version wiped, boolean partial) {
        static final Self NEW = new Self(0, Version.NONE, 0, Version.NONE, Version.NONE, false);

        Slice encode() {
            BinWriter out = new BinWriter(40).varint(activeView);
            applied.write(out);
            out.varint(clock);
            horizon.write(out);
            wiped.write(out);
            return out.u8(partial ? 1 : 0).toSlice();
        }

        static Self decode(Slice content) {
            BinReader in = new BinReader(content);
            return new Self(
                    FunnelBounds.VIEW.read(in),
                    Version.read(in),
                    FunnelBounds.CLOCK.read(in),
                    Version.read(in),
                    Version.read(in),
                    flag(in));
        }
    }

    /** First key of a kind. */
    static byte[] first(char kind) {
        return new byte[] {FunnelProtocol.CHANNEL, (byte) kind};
    }

    /** First key behind a kind. */
    static byte[] behind(char kind) {
        return first((char) (kind + 1));
    }

    static byte[] keyPlace(Slice key) {
        return place('C', key);
    }

    static byte[] clientPlace(Slice client) {
        return place('O', client);
    }

    static byte[] groupPlace(long serial) {
        return new BinWriter(10).u8(FunnelProtocol.CHANNEL).u8('D').i64(serial).toArray();
    }

    static long serial(byte[] groupPlace) {
        return new BinReader(new Slice(groupPlace, PREFIX_BYTES, groupPlace.length - PREFIX_BYTES)).i64();
    }

    private static byte[] place(char kind, Slice name) {
        byte[] place = new byte[PREFIX_BYTES + name.length()];
        place[0] = FunnelProtocol.CHANNEL;
        place[1] = (byte) kind;
        System.arraycopy(name.array(), name.offset(), place, PREFIX_BYTES, name.length());
        return place;
    }

    static String client(byte[] clientPlace) {
        return new String(clientPlace, PREFIX_BYTES, clientPlace.length - PREFIX_BYTES, StandardCharsets.UTF_8);
    }

    /** Writes what was committed into a cell, and the record of it. */
    static void set(Cell cell, long view, long commit, long clock, NodeId head, @Nullable Slice value, long expiresAt) {
        BinWriter out = new BinWriter(48 + head.value().length() + (value == null ? 0 : value.length()));
        out.varint(view).varint(commit).varint(clock).node(head).varint(expiresAt);
        writeContent(value, out);
        byte[] record = out.toArray();
        cell.record(record);
        cell.view = view;
        cell.commit = commit;
        cell.clock = clock;
        cell.head = head;
        cell.expiresAt = expiresAt;
        cell.value = value == null ? null : new Slice(record, record.length - value.length(), value.length());
    }

    /** Reads the record of a key; both arrays are kept. */
    static Cell cell(byte[] place, byte[] record) {
        Cell cell = new Cell(place);
        read(cell, record);
        return cell;
    }

    /** Reads a record into a cell; the array is kept. */
    static void read(Cell cell, byte[] record) {
        BinReader in = new BinReader(Slice.of(record));
        Version version = Version.read(in);
        long clock = FunnelBounds.CLOCK.read(in);
        NodeId head = in.node();
        long expiresAt = FunnelBounds.WALL_MILLIS.read(in);
        Slice value = readContent(in);
        cell.record(record);
        cell.view = version.view();
        cell.commit = version.commit();
        cell.clock = clock;
        cell.head = head;
        cell.expiresAt = expiresAt;
        cell.value = value;
    }

    static ClientRecord client(
            String client, long operation, boolean applied, @Nullable Slice before, Version version) {
        BinWriter out = new BinWriter(32 + (before == null ? 0 : before.length()));
        version.write(out);
        out.varint(operation).u8(applied ? 1 : 0);
        writeContent(before, out);
        byte[] record = out.toArray();
        Slice kept = before == null ? null : new Slice(record, record.length - before.length(), before.length());
        return new ClientRecord(clientPlace(Slice.utf8(client)), record, client, operation, applied, kept, version);
    }

    /** Reads the record of a client; both arrays are kept. */
    static ClientRecord client(byte[] place, byte[] record) {
        BinReader in = new BinReader(Slice.of(record));
        Version version = Version.read(in);
        long operation = in.varint(Long.MAX_VALUE, "operation");
        boolean applied = flag(in);
        return new ClientRecord(place, record, client(place), operation, applied, readContent(in), version);
    }

    static boolean flag(BinReader in) {
        int flag = in.u8();
        if (flag > 1) {
            throw new MalformedException("flag is " + flag + ", must be 0 or 1");
        }
        return flag == 1;
    }

    private static void writeContent(@Nullable Slice value, BinWriter out) {
        out.u8(value == null ? NONE : PRESENT);
        if (value != null) {
            out.raw(value);
        }
    }

    private static @Nullable Slice readContent(BinReader in) {
        if (flag(in)) {
            return in.raw(in.remaining());
        }
        if (in.hasMore()) {
            throw new MalformedException(in.remaining() + " bytes after a record without value");
        }
        return null;
    }
}
