package io.georep.funnel.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
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
public final class FunnelLayout {
    /** See {@link io.georep.funnel.core.FunnelProtocol#CHANNEL}. */
    public static final int CHANNEL = 4;

    /** Bytes before the name of a key or client. */
    public static final int PREFIX_BYTES = 2;

    @SuppressWarnings("MutablePublicArray") // nobody changes it, and keys of the store are arrays
    public static final byte[] SELF = {CHANNEL, 'V'};

    private static final int NONE = 0;
    private static final int PRESENT = 1;

    private FunnelLayout() {}

    /** What the node keeps of itself. */
    public record Self(long activeView, Version applied, long clock, Version horizon, Version wiped, boolean partial) {
        static final Self NEW = new Self(0, Version.NONE, 0, Version.NONE, Version.NONE, false);

        public Slice encode() {
            BinWriter out = new BinWriter(40).varint(activeView);
            applied.write(out);
            out.varint(clock);
            horizon.write(out);
            wiped.write(out);
            return out.u8(partial ? 1 : 0).toSlice();
        }

        public static Self decode(Slice content) {
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

    /** Returns the first key of a kind. */
    public static byte[] first(char kind) {
        return new byte[] {CHANNEL, (byte) kind};
    }

    /** Returns the first key behind a kind. */
    public static byte[] behind(char kind) {
        return first((char) (kind + 1));
    }

    public static byte[] keyPlace(Slice key) {
        return place('C', key);
    }

    public static byte[] clientPlace(Slice client) {
        return place('O', client);
    }

    public static byte[] groupPlace(long serial) {
        return new BinWriter(10).u8(CHANNEL).u8('D').i64(serial).toArray();
    }

    public static long serial(byte[] groupPlace) {
        return new BinReader(new Slice(groupPlace, PREFIX_BYTES, groupPlace.length - PREFIX_BYTES)).i64();
    }

    private static byte[] place(char kind, Slice name) {
        byte[] place = new byte[PREFIX_BYTES + name.length()];
        place[0] = CHANNEL;
        place[1] = (byte) kind;
        System.arraycopy(name.array(), name.offset(), place, PREFIX_BYTES, name.length());
        return place;
    }

    public static String client(byte[] clientPlace) {
        return new String(clientPlace, PREFIX_BYTES, clientPlace.length - PREFIX_BYTES, StandardCharsets.UTF_8);
    }

    public static boolean flag(BinReader in) {
        int flag = in.u8();
        if (flag > 1) {
            throw new MalformedException("flag is " + flag + ", must be 0 or 1");
        }
        return flag == 1;
    }

    public static void writeContent(@Nullable Slice value, BinWriter out) {
        out.u8(value == null ? NONE : PRESENT);
        if (value != null) {
            out.raw(value);
        }
    }

    public static @Nullable Slice readContent(BinReader in) {
        if (flag(in)) {
            return in.raw(in.remaining());
        }
        in.requireEnd("a record without value");
        return null;
    }
}
