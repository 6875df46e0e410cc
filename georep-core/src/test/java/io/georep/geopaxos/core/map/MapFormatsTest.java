package io.georep.geopaxos.core.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Bytes of operations and results. */
class MapFormatsTest {
    private static final Slice KEY = Slice.utf8("key");
    private static final MapEntry ENTRY = new MapEntry(KEY, Slice.utf8("value"), 1_234_567);

    static final List<MapOperation> OPERATIONS = List.of(
            new MapOperation.Get(KEY),
            new MapOperation.Put(ENTRY, Guard.NONE),
            new MapOperation.Put(ENTRY, Guard.equalTo(Slice.utf8("old"))),
            new MapOperation.Remove(KEY, Guard.ABSENT),
            new MapOperation.Scan(KEY, null, 17, true),
            MapOperation.Scan.next(KEY, Slice.utf8("z")),
            new MapOperation.Count(Slice.EMPTY, KEY),
            new MapOperation.Expire(99, List.of(KEY, Slice.EMPTY)),
            new MapOperation.Call("transfer", 3, Slice.utf8("argument")),
            new MapOperation.Split(-5, 300, 2),
            new MapOperation.Merge(1, Long.MIN_VALUE),
            new MapOperation.PutFor(new MapEntry(KEY, KEY, 0), Guard.ABSENT, 1L << 40),
            new MapOperation.Tick(1L << 50, (1L << 50) + 1_500, KEY));

    static final List<MapResult> RESULTS = List.of(
            new MapResult.Value(null),
            new MapResult.Value(Slice.EMPTY),
            new MapResult.Written(true, null),
            new MapResult.Written(false, KEY),
            new MapResult.Page(List.of(ENTRY, ENTRY), true),
            new MapResult.Counted(1L << 40),
            new MapResult.Returned(KEY),
            new MapResult.Failed("because"));

    @Test
    void whatWasWrittenIsRead() {
        assertThat(OPERATIONS)
                .allSatisfy(operation -> assertThat(MapOperation.decode(MapOperation.encode(operation)))
                        .isEqualTo(operation));
        assertThat(RESULTS)
                .allSatisfy(result ->
                        assertThat(MapResult.decode(MapResult.encode(result))).isEqualTo(result));
    }

    /** A replica must not stop at what any client sends, and all replicas return the same. */
    @Test
    void damagedBytesAreRefused() {
        MapFixture map = new MapFixture();
        Consumer<Slice> refuse = bytes -> {
            MapOperation operation;
            try {
                operation = MapOperation.decode(bytes);
            } catch (MalformedException e) {
                assertThat(MapResult.decode(map.service.execute(bytes, map.births::put)))
                        .isEqualTo(new MapResult.Failed("not an operation"));
                map.service.trace(bytes, (object, write) -> {
                    throw new AssertionError("used " + object);
                });
                assertThat(map.service.footprint(bytes).writes()).isEmpty();
                return;
            }
            assertThat(MapOperation.encode(operation).length()).isPositive();
        };
        for (MapOperation operation : OPERATIONS) {
            byte[] bytes = MapOperation.encode(operation).toArray();
            for (int length = 0; length < bytes.length; length++) {
                Slice cut = new Slice(bytes, 0, length);
                assertThatThrownBy(() -> MapOperation.decode(cut)).isInstanceOf(MalformedException.class);
                refuse.accept(cut);
                for (int bit = 0; bit < 8; bit++) {
                    byte[] flipped = bytes.clone();
                    flipped[length] ^= (byte) (1 << bit);
                    refuse.accept(Slice.of(flipped));
                }
            }
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
            assertThatThrownBy(() -> MapOperation.decode(Slice.of(longer))).isInstanceOf(MalformedException.class);
        }
    }

    @Test
    void boundsHold() {
        Slice longest = Slice.of(new byte[MapOperation.KEY_BYTES_MAX]);
        Slice tooLong = Slice.of(new byte[MapOperation.KEY_BYTES_MAX + 1]);
        refused(() -> new MapOperation.Get(tooLong));
        refused(() -> new MapOperation.Remove(tooLong, Guard.NONE));
        refused(() -> new MapEntry(tooLong, Slice.EMPTY, 0));
        refused(() -> new MapEntry(KEY, Slice.of(new byte[MapOperation.VALUE_BYTES_MAX + 1]), 0));
        refused(() -> new MapOperation.Scan(KEY, null, 0, false));
        refused(() -> new MapOperation.Scan(KEY, null, MapOperation.PAGE_ENTRIES_MAX + 1, false));
        refused(() -> new MapOperation.Count(MapOperation.after(tooLong), null));
        refused(() -> new MapOperation.Expire(1, List.of()));
        refused(() -> new MapOperation.Expire(1, Collections.nCopies(MapOperation.KEYS_MAX + 1, KEY)));
        refused(() -> new MapOperation.Call("", 1, Slice.EMPTY));
        refused(() -> new MapOperation.Call("x", 1, Slice.of(new byte[MapOperation.ARGUMENT_BYTES_MAX + 1])));
        List<Slice> many = Collections.nCopies(MapOperation.KEYS_MAX, KEY);
        List<Slice> more = Collections.nCopies(MapOperation.KEYS_MAX + 1, KEY);
        assertThat(new Procedure.Keys(many, many).writes()).hasSize(MapOperation.KEYS_MAX);
        refused(() -> new Procedure.Keys(more, many));
        refused(() -> new Procedure.Keys(many, more));
        refused(() -> new MapOperation.Split(1, 0, 1));
        refused(() -> new MapOperation.Split(1, 0, MapOperation.PARTS_MAX + 1));
        refused(() -> new MapOperation.PutFor(ENTRY, Guard.NONE, 1));
        MapEntry entry = new MapEntry(KEY, KEY, 0);
        refused(() -> new MapOperation.PutFor(entry, Guard.NONE, 0));
        refused(() -> new MapOperation.PutFor(entry, Guard.NONE, MapOperation.LIFE_MILLIS_MAX + 1));
        refused(() -> new MapOperation.Tick(-1, 1, KEY));
        refused(() -> new MapOperation.Tick(5, 5, KEY));
        refused(() -> new MapOperation.Tick(5, 5 + 1_501, KEY));
        refused(() -> new MapOperation.Tick(5, 6, tooLong));
        refused(() -> new Guard(3, Slice.EMPTY));

        assertThat(MapOperation.Scan.next(longest, null).from()).isEqualTo(tooLong);
    }

    private static void refused(Runnable creation) {
        assertThatThrownBy(creation::run).isInstanceOf(IllegalArgumentException.class);
    }
}
