package io.georep.geopaxos.core.map;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An operation on an ordered map. Ranges are from a key on, and up to before another or to the end. */
public sealed interface MapOperation {
    /** Bytes of a key. */
    int KEY_BYTES_MAX = 256;

    /** Bytes of a value. */
    int VALUE_BYTES_MAX = 64 * 1024;

    /** Entries of a page. */
    int PAGE_ENTRIES_MAX = 1_000;

    /** Bytes of a page; its first entry may be larger. */
    int PAGE_BYTES_MAX = 256 * 1024;

    /** Keys of one operation. */
    int KEYS_MAX = 256;

    /** The longest time to live, in milliseconds: a hundred years. */
    long LIFE_MILLIS_MAX = 36_500L * 86_400_000;

    /** Bytes of an argument and of a result of a {@link Procedure}. */
    int ARGUMENT_BYTES_MAX = 256 * 1024;

    /** Leaves that one is split into. */
    int PARTS_MAX = 32;

    /** Reads a value. */
    record Get(Slice key) implements MapOperation {
        public Get {
            checkKey(key, KEY_BYTES_MAX);
        }
    }

    /** Stores an entry, if the guard allows. */
    record Put(MapEntry entry, Guard guard) implements MapOperation {}

    /**
     * Stores an entry that expires, if the guard allows.
     *
     * @param entry which has no time of its own
     * @param millis how long it stays at the least, from its execution on: see {@link MapClock}
     */
    record PutFor(MapEntry entry, Guard guard, long millis) implements MapOperation {
        public PutFor {
            if (entry.expiresAt() != 0 || millis < 1 || millis > LIFE_MILLIS_MAX) {
                throw new IllegalArgumentException("a time to live of " + millis + " ms");
            }
        }
    }

    /**
     * Sets the {@link MapClock} forward, if it shows what this says.
     *
     * @param by name of the node that has measured the time between
     */
    record Tick(long from, long to, Slice by) implements MapOperation {
        public Tick {
            checkKey(by, KEY_BYTES_MAX);
            if (from < 0 || to <= from || to - from > MapClock.ADVANCE_MAX) {
                throw new IllegalArgumentException("the clock goes from " + from + " to " + to);
            }
        }
    }

    /** Removes an entry, if the guard allows. */
    record Remove(Slice key, Guard guard) implements MapOperation {
        public Remove {
            checkKey(key, KEY_BYTES_MAX);
        }
    }

    /**
     * Reads a page of a range.
     *
     * @param limit entries
     * @param descending from the end of the range on
     */
    record Scan(Slice from, @Nullable Slice to, int limit, boolean descending) implements MapOperation {
        public Scan {
            checkRange(from, to);
            if (limit < 1 || limit > PAGE_ENTRIES_MAX) {
                throw new IllegalArgumentException("a page of " + limit);
            }
        }

        /** Returns the entry with the next larger key of those before another. */
        public static Scan next(Slice key, @Nullable Slice to) {
            return new Scan(after(key), to, 1, false);
        }

        /** Returns the entry with the next smaller key of those from another on. */
        public static Scan previous(Slice from, Slice key) {
            return new Scan(from, key, 1, true);
        }
    }

    /** Counts the entries of a range. */
    record Count(Slice from, @Nullable Slice to) implements MapOperation {
        public Count {
            checkRange(from, to);
        }
    }

    /** Removes those of these keys whose time is over. Until then every reader sees the entry. */
    record Expire(long time, List<Slice> keys) implements MapOperation {
        public Expire {
            keys = List.copyOf(keys);
            keys.forEach(key -> checkKey(key, KEY_BYTES_MAX));
            if (keys.isEmpty() || keys.size() > KEYS_MAX) {
                throw new IllegalArgumentException(keys.size() + " keys");
            }
        }
    }

    /** Executes a {@link Procedure}. */
    record Call(String name, int version, Slice argument) implements MapOperation {
        public Call {
            if (name.isEmpty() || name.length() > 100 || version < 0 || argument.length() > ARGUMENT_BYTES_MAX) {
                throw new IllegalArgumentException("a call of " + name + "/" + version + " with " + argument);
            }
        }
    }

    /**
     * Splits a leaf, if it is too large and has been split exactly this often before. So the operation itself tells the numbers of the
     * new leaves, and an operation that names one of them waits for it.
     *
     * @param children how many leaves were split from it before
     * @param parts into how many leaves
     */
    record Split(long leaf, long children, int parts) implements MapOperation {
        public Split {
            if (parts < 2 || parts > PARTS_MAX) {
                throw new IllegalArgumentException(parts + " parts of a leaf");
            }
        }
    }

    /** Merges a leaf with the one after it, if that is the one named and both are small. */
    record Merge(long left, long right) implements MapOperation {}

    /** Returns whether a node looks after the maps by it: no application has asked. */
    default boolean isUpkeep() {
        return this instanceof Tick || this instanceof Expire || this instanceof Split || this instanceof Merge;
    }

    /** Returns the least key that is larger. */
    static Slice after(Slice key) {
        byte[] next = new byte[key.length() + 1];
        System.arraycopy(key.array(), key.offset(), next, 0, key.length());
        return Slice.of(next);
    }

    /** Returns the bytes of an operation. */
    static Slice encode(MapOperation operation) {
        BinWriter out = new BinWriter(64);
        if (operation instanceof Get get) {
            out.u8(1).bytes(get.key);
        } else if (operation instanceof Put put) {
            put.entry.write(out.u8(2));
            put.guard.write(out);
        } else if (operation instanceof Remove remove) {
            remove.guard.write(out.u8(3).bytes(remove.key));
        } else if (operation instanceof Scan scan) {
            writeRange(out.u8(4), scan.from, scan.to);
            out.varint(scan.limit).u8(scan.descending ? 1 : 0);
        } else if (operation instanceof Count count) {
            writeRange(out.u8(5), count.from, count.to);
        } else if (operation instanceof Expire expire) {
            out.u8(6).varint(expire.time).varint(expire.keys.size());
            expire.keys.forEach(out::bytes);
        } else if (operation instanceof Call call) {
            out.u8(7).text(call.name).varint(call.version).bytes(call.argument);
        } else if (operation instanceof Split split) {
            out.u8(8).i64(split.leaf).varint(split.children).varint(split.parts);
        } else if (operation instanceof Merge merge) {
            out.u8(9).i64(merge.left).i64(merge.right);
        } else if (operation instanceof PutFor put) {
            put.entry.write(out.u8(10));
            put.guard.write(out);
            out.varint(put.millis);
        } else if (operation instanceof Tick tick) {
            out.u8(11).varint(tick.from).varint(tick.to).bytes(tick.by);
        }
        return out.toSlice();
    }

    /** Reads the bytes of an operation; throws a {@link MalformedException} if they are none. */
    static MapOperation decode(Slice bytes) {
        BinReader in = new BinReader(bytes);
        MapOperation operation;
        try {
            operation = read(in);
        } catch (IllegalArgumentException e) {
            throw new MalformedException(String.valueOf(e.getMessage()));
        }
        in.requireEnd("an operation");
        return operation;
    }

    private static MapOperation read(BinReader in) {
        int kind = in.u8();
        return switch (kind) {
            case 1 -> new Get(in.bytes());
            case 2 -> new Put(MapEntry.read(in), Guard.read(in));
            case 3 -> new Remove(in.bytes(), Guard.read(in));
            case 4 -> new Scan(in.bytes(), readEnd(in), (int) in.varint(PAGE_ENTRIES_MAX, "page"), in.u8() == 1);
            case 5 -> new Count(in.bytes(), readEnd(in));
            case 6 -> new Expire(in.varint(), readKeys(in));
            case 7 -> new Call(in.text(), (int) in.varint(Integer.MAX_VALUE, "version"), in.bytes());
            case 8 -> new Split(in.i64(), in.varint(), (int) in.varint(PARTS_MAX, "parts"));
            case 9 -> new Merge(in.i64(), in.i64());
            case 10 -> new PutFor(MapEntry.read(in), Guard.read(in), in.varint());
            case 11 -> new Tick(in.varint(), in.varint(), in.bytes());
            default -> throw new MalformedException("an operation of kind " + kind);
        };
    }

    private static List<Slice> readKeys(BinReader in) {
        List<Slice> keys = new ArrayList<>();
        for (int left = in.count(1, "keys"); left > 0; left--) {
            keys.add(in.bytes());
        }
        return keys;
    }

    private static void writeRange(BinWriter out, Slice from, @Nullable Slice to) {
        out.bytes(from).u8(to == null ? 0 : 1);
        if (to != null) {
            out.bytes(to);
        }
    }

    private static @Nullable Slice readEnd(BinReader in) {
        return in.u8() == 0 ? null : in.bytes();
    }

    private static void checkRange(Slice from, @Nullable Slice to) {
        checkKey(from, KEY_BYTES_MAX + 1);
        if (to != null) {
            checkKey(to, KEY_BYTES_MAX + 1);
        }
    }

    /** Refuses a key that is too long. */
    static void checkKey(Slice key, int max) {
        if (key.length() > max) {
            throw new IllegalArgumentException("a key of " + key.length() + " bytes");
        }
    }
}
