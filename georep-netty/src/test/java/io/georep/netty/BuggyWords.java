package io.georep.netty;

import static io.georep.netty.WireWords.bytes;
import static io.georep.netty.WireWords.i64;
import static io.georep.netty.WireWords.join;
import static io.georep.netty.WireWords.message;
import static io.georep.netty.WireWords.text;
import static io.georep.netty.WireWords.u8;
import static io.georep.netty.WireWords.varint;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Draws what a broken peer says: each type of message of docs/how-it-works/wire-format.md, with numbers at their bounds and beyond them,
 * names without end, ranges that nobody can have, and now and then the right thing.
 */
final class BuggyWords {
    private static final int MEMBERSHIP = 1;
    private static final int OUTBOX = 2;

    private final RandomGenerator random;
    private final String self;
    private final WireWords.Entries others;
    private final boolean limited;

    /**
     * Words of one peer.
     *
     * @param others entries of another node, which are none of its business
     * @param limited whether it may not decide over others: then it says that, too. The word of a peer that may is believed
     */
    BuggyWords(RandomGenerator random, String self, WireWords.Entries others, boolean limited) {
        this.random = random;
        this.self = self;
        this.others = others;
        this.limited = limited;
    }

    /** A frame, whole or not. */
    byte[] frame(long number) {
        byte[] frame = join(header(number), messages());
        if (random.nextInt(20) == 0) {
            frame = Arrays.copyOf(frame, random.nextInt(frame.length) + 1);
        }
        return WireWords.chunk(frame);
    }

    private byte[] header(long number) {
        if (random.nextInt(4) > 0) {
            return WireWords.header(1, WireWords.INCARNATION, number, 0, 0, 30_000);
        }
        int flags = limited && random.nextInt(4) == 0 ? 4 : random.nextInt(4);
        byte[] header = WireWords.header(
                flags,
                random.nextBoolean() ? WireWords.INCARNATION : number(),
                random.nextBoolean() ? number : number(),
                number(),
                number(),
                number());
        return flags == 4 ? join(header, i64(random.nextLong()), u8(random.nextInt(4)), i64(0)) : header;
    }

    private byte[] messages() {
        return join(
                IntStream.range(0, 1 + random.nextInt(4)).mapToObj(i -> drawn()).toArray(byte[][]::new));
    }

    private byte[] drawn() {
        int kind = random.nextInt(24);
        if (kind == 0) {
            return message(random.nextInt(256), random.nextInt(256), blob(40));
        }
        return kind < 8 ? ofMembership(kind) : ofOutbox(1 + random.nextInt(14));
    }

    private byte[] ofMembership(int type) {
        byte[] body = switch (type) {
            case 1 -> varint(number());
            case 2, 3 -> list();
            case 4 -> i64(random.nextLong());
            case 5 -> join(varint(number()), varint(1 + random.nextInt(1000)));
            case 6 -> varint(number());
            default -> join(u8(random.nextInt(3)), blob(64 * 8));
        };
        return message(MEMBERSHIP, type, body, tail());
    }

    private byte[] ofOutbox(int type) {
        WireWords.Entries entries = entries(type);
        byte[] about = entries.stream();
        byte[] queue = text(random.nextInt(50) == 0 ? "" : entries.queue());
        byte[] body = switch (type) {
            case 1 -> replicate(entries);
            case 2 -> join(about, u8(random.nextInt(4)), varint(number()), ranges());
            case 4, 8 -> join(about, ranges());
            case 6 -> join(about, varint(number()), ranges());
            case 5, 7 -> join(about, queue, custody(), ranges());
            case 10 -> {
                int status = random.nextInt(5);
                byte[] custody = status == 0 || status == 3 ? new byte[0] : custody();
                yield join(about, queue, u8(status), custody, ranges());
            }
            case 13 -> join(about, queue, varint(number()), varint(number()), u8(0), varint(number()));
            case 14 -> u8(random.nextInt(3));
            default -> join(about, queue, ranges());
        };
        return message(OUTBOX, type, body, tail());
    }

    private byte[] replicate(WireWords.Entries entries) {
        byte[] whole = WireWords.copies(entries, number(), custody());
        // Without the head of the message, whose length has one or two bytes.
        int head = (whole[2] & 0x80) == 0 ? 3 : 4;
        return Arrays.copyOfRange(whole, head, whole.length);
    }

    /** Entries of others only where what a peer says of them is checked. */
    private WireWords.Entries entries(int type) {
        boolean checked = limited || List.of(2, 4, 6, 8, 9, 11).contains(type);
        if (checked && random.nextBoolean()) {
            return others;
        }
        long boot = drawn(() -> 1L, () -> (1L << 62) - 1, () -> 1 + random.nextLong(1L << 61));
        String origin = drawn(() -> self, this::ghost);
        String queue = drawn(() -> others.queue(), this::ghost);
        return new WireWords.Entries(origin, boot, random.nextInt(65_536), queue, 1 + random.nextInt(100));
    }

    private byte[] custody() {
        int owners = random.nextInt(8) == 0 ? random.nextInt(18) : 2 + random.nextInt(3);
        String[] names =
                IntStream.range(0, owners).mapToObj(i -> name()).distinct().toArray(String[]::new);
        if (names.length > 1) {
            names[0] = self;
            names[1] = UnderAttack.NYC;
        }
        return WireWords.custody(number(), Arrays.stream(names).distinct().toArray(String[]::new));
    }

    private byte[] ranges() {
        if (random.nextInt(4) > 0) {
            return WireWords.ranges(
                    drawn(() -> 0L, () -> (long) random.nextInt(200), this::number), 1 + random.nextInt(99));
        }
        long count = drawn(() -> 0L, () -> 5000L, () -> 3L);
        return join(
                varint(count),
                join(IntStream.range(0, (int) count)
                        .mapToObj(i -> join(varint(random.nextInt(3)), varint(random.nextInt(3))))
                        .toArray(byte[][]::new)));
    }

    private byte[] list() {
        int count = random.nextInt(limited ? 300 : 3);
        byte[][] lines = IntStream.range(0, count).mapToObj(i -> line()).toArray(byte[][]::new);
        return join(varint(random.nextInt(20) == 0 ? number() : count), join(lines));
    }

    private byte[] line() {
        boolean decides = limited && random.nextInt(4) == 0;
        return join(
                text(limited ? name() : ghost()),
                text(drawn(() -> "127.0.0.1:1", () -> "nowhere.invalid:7400", () -> "")),
                text("nowhere"),
                varint(decides ? number() : 1),
                i64(random.nextLong()),
                i64(random.nextLong()),
                varint(decides ? number() : 0),
                varint(0),
                varint(decides ? number() : 0),
                u8(decides ? random.nextInt(2) : 0),
                varint(decides ? number() : 0),
                varint(86_400_000),
                varint(86_400_000));
    }

    private String name() {
        return drawn(() -> self, () -> UnderAttack.AMS, () -> UnderAttack.NYC, () -> UnderAttack.SFO, this::ghost);
    }

    private String ghost() {
        return "ghost-" + random.nextInt(1_000_000);
    }

    /** Small ones, those at the bounds, and those beyond them. */
    private long number() {
        return drawn(
                () -> (long) random.nextInt(100),
                () -> 0L,
                () -> (1L << 55) - 1,
                () -> 1L << 55,
                () -> Long.MAX_VALUE,
                () -> -1L,
                () -> random.nextLong(1L << 44));
    }

    private byte[] blob(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** What goes on after its end is malformed. */
    private byte[] tail() {
        return random.nextInt(40) == 0 ? bytes(blob(random.nextInt(5))) : new byte[0];
    }

    @SafeVarargs
    private <T> T drawn(Supplier<T>... choices) {
        return choices[random.nextInt(choices.length)].get();
    }
}
