package io.georep.geopaxos.core.map;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Slice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** Operations that tests call. */
public final class Procedures {
    private record Sample(
            String name, boolean writes, boolean finds, BiFunction<Procedure.View, List<Slice>, Slice> body)
            implements Procedure {
        Sample(String name, boolean writes, BiFunction<Procedure.View, List<Slice>, Slice> body) {
            this(name, writes, false, body);
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public Keys keys(Slice argument) {
            List<Slice> keys = read(argument);
            return writes ? new Keys(List.of(), keys, finds) : new Keys(keys, List.of(), finds);
        }

        @Override
        public Slice execute(View view, Slice argument) {
            return body.apply(view, read(argument));
        }
    }

    /** Gives the values of keys in turn to the next ones, and that of the last to the first. */
    static final Procedure ROTATE = new Sample("rotate", true, (view, keys) -> {
        List<Slice> values = new ArrayList<>();
        keys.forEach(key -> values.add(view.get(key)));
        for (int i = 0; i < keys.size(); i++) {
            Slice value = values.get((i + keys.size() - 1) % keys.size());
            if (value == null) {
                view.remove(keys.get(i));
            } else {
                view.put(new MapEntry(keys.get(i), value, 0));
            }
        }
        return Slice.utf8("rotated " + keys.size());
    });

    /** Appends the lengths of all values. */
    static final Procedure LENGTHS = new Sample("lengths", false, (view, keys) -> {
        BinWriter out = new BinWriter();
        for (Slice key : keys) {
            Slice value = view.get(key);
            out.varint(value == null ? 0 : 1 + value.length());
        }
        return out.toSlice();
    });

    /** Writes all its keys, and then fails, with an exception that other languages need not declare. */
    static final Procedure FAILS = new Sample("fails", true, (view, keys) -> {
        keys.forEach(key -> view.put(new MapEntry(key, Slice.utf8("never seen"), 0)));
        throw Procedures.<RuntimeException>undeclared(new IOException("by design"));
    });

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E undeclared(Throwable error) throws E {
        throw (E) error;
    }

    /** Stores something under all its keys. */
    static final Procedure MARKS = new Sample("marks", true, (view, keys) -> {
        keys.forEach(key -> view.put(new MapEntry(key, Slice.utf8("mark"), 0)));
        return Slice.EMPTY;
    });

    /** Writes a key that it has not declared. */
    static final Procedure STRAYS = new Sample("strays", true, (view, keys) -> {
        keys.forEach(view::remove);
        view.put(new MapEntry(Slice.utf8("elsewhere"), Slice.EMPTY, 0));
        return Slice.EMPTY;
    });

    /** Writes a key that it has declared as read. */
    static final Procedure WRITES_WHAT_IT_READS = new Sample("reads", false, (view, keys) -> {
        view.remove(keys.get(0));
        return Slice.EMPTY;
    });

    /** Returns more than there may be. */
    static final Procedure TALKS = new Sample("talks", true, (view, keys) -> {
        keys.forEach(view::remove);
        return Slice.of(new byte[MapOperation.ARGUMENT_BYTES_MAX + 1]);
    });

    /** Takes the value of its key for another key, changes what is there, and returns what was there. */
    static final Procedure FOLLOWS = new Sample("follows", false, true, (view, keys) -> {
        Slice found = view.get(keys.get(0));
        if (found == null) {
            return Slice.utf8("no key");
        }
        Slice value = view.get(found);
        if (value == null) {
            view.put(new MapEntry(found, keys.get(0), 0));
            return Slice.EMPTY;
        }
        view.remove(found);
        return value;
    });

    public static final List<Procedure> ALL =
            List.of(ROTATE, LENGTHS, FAILS, STRAYS, WRITES_WHAT_IT_READS, TALKS, FOLLOWS);

    private Procedures() {}

    static MapOperation.Call call(Procedure procedure, List<Slice> keys) {
        BinWriter out = new BinWriter();
        keys.forEach(out::bytes);
        return new MapOperation.Call(procedure.name(), procedure.version(), out.toSlice());
    }

    private static List<Slice> read(Slice argument) {
        List<Slice> keys = new ArrayList<>();
        for (BinReader in = new BinReader(argument); in.hasMore(); ) {
            keys.add(in.bytes());
        }
        return keys;
    }
}
