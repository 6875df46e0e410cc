package io.georep.geopaxos.core.map;

import io.georep.model.Slice;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Draws operations on few enough keys that they meet, and on enough that there are many leaves. */
public final class RandomOperations {
    public final RandomGenerator random;
    private final int keys;
    private long time;
    private final List<Slice> values = List.of(Slice.EMPTY, Slice.utf8("a"), Slice.utf8("b"), Slice.utf8("ccc"));

    public RandomOperations(long seed, int keys) {
        random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        this.keys = keys;
    }

    /** Keys of unlike lengths, with bytes above 127, the empty one among them, some a prefix of others. */
    public Slice key() {
        int number = random.nextInt(keys);
        if (number == 0) {
            return Slice.EMPTY;
        }
        byte[] key = new byte[1 + number % 3];
        key[0] = (byte) (number * 7);
        if (key.length > 1) {
            key[1] = (byte) (number >> 5);
        }
        return Slice.of(key);
    }

    private Slice value() {
        return values.get(random.nextInt(values.size()));
    }

    private @Nullable Slice end() {
        return random.nextInt(4) == 0 ? null : key();
    }

    private Guard guard() {
        int kind = random.nextInt(4);
        return kind == 0 ? Guard.ABSENT : kind == 1 ? Guard.equalTo(value()) : Guard.NONE;
    }

    private List<Slice> some() {
        return IntStream.range(0, random.nextInt(1, 4)).mapToObj(i -> key()).toList();
    }

    /** One that takes effect if all before it did, and some that do not. */
    private MapOperation tick() {
        long from = random.nextInt(5) == 0 ? random.nextInt(1_000) : time;
        long to = from + random.nextInt(1, 20);
        time = from == time ? to : time;
        return new MapOperation.Tick(from, to, Slice.utf8("n"));
    }

    /** Half of them write. The more there is, the more is removed. */
    public MapOperation next(int present) {
        boolean shrink = random.nextInt(keys) < present;
        int kind = random.nextInt(20);
        if (kind < 6) {
            return shrink
                    ? new MapOperation.Remove(key(), guard())
                    : new MapOperation.Put(
                            new MapEntry(key(), value(), random.nextInt(3) == 0 ? random.nextInt(1, 1000) : 0),
                            guard());
        }
        return switch (kind) {
            case 6 -> new MapOperation.PutFor(new MapEntry(key(), value(), 0), guard(), random.nextInt(1, 3_000));
            case 7 -> tick();
            case 8, 9 -> new MapOperation.Scan(key(), end(), random.nextInt(1, 100), random.nextBoolean());
            case 10 -> MapOperation.Scan.next(key(), null);
            case 11 -> MapOperation.Scan.previous(Slice.EMPTY, key());
            case 12 -> new MapOperation.Count(key(), end());
            case 13 -> new MapOperation.Expire(random.nextInt(1000), some());
            case 14 -> Procedures.call(Procedures.ROTATE, some());
            case 15 -> Procedures.call(Procedures.LENGTHS, some());
            case 16 -> Procedures.call(Procedures.FAILS, some());
            case 17 -> Procedures.call(random.nextBoolean() ? Procedures.STRAYS : Procedures.FOLLOWS, some());
            default -> new MapOperation.Get(key());
        };
    }

    /** A division or a join of leaves that are there, sensible or not. */
    public MapOperation structural(OrderedMapService service) {
        List<Leaf> leaves = List.copyOf(service.leaves().all());
        int leaf = random.nextInt(leaves.size());
        return random.nextBoolean() || leaf + 1 == leaves.size()
                ? leaves.get(leaf).split()
                : new MapOperation.Merge(leaves.get(leaf).number, leaves.get(leaf + 1).number);
    }
}
