package io.georep.outbox.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.GoldenFormats;
import io.georep.codec.MalformedException;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.AttemptMark;
import io.georep.outbox.core.context.AttemptNews;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.ledger.FactReplay;
import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.TestTurn;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes of what the outbox stores: keys, facts, snapshot, and the small records beside them. */
class OutboxStoreGoldenTest extends GoldenFormats {
    /** Version of keys and facts: that of the store's directory. */
    private static final int STORE = 1;

    private static final int SNAPSHOT = 4;

    private static final NodeId A = NodeId.of("a");
    private static final NodeId B = NodeId.of("b");
    private static final NodeId C = NodeId.of("c");
    private static final NodeId D = NodeId.of("d");
    private static final StreamId STREAM = new StreamId(A, 1L << 56, 300);

    @Override
    protected String file() {
        return "outbox-store";
    }

    @Override
    protected List<Format> formats() {
        List<Format> formats = new ArrayList<>(keys());
        formats.addAll(new Life().facts());
        formats.add(snapshot());
        AttemptMark mark = new AttemptMark(2, true, 300);
        BinWriter marked = new BinWriter();
        mark.write(marked);
        formats.add(format("value of key A", STORE, marked.toSlice(), mark, AttemptMark::read));
        AttemptNews.Letter letter = new AttemptNews.Letter(5, 1_800_000_000_000L, "IOException: no");
        BinWriter lettered = new BinWriter();
        letter.write(lettered);
        formats.add(format("value of key D", STORE, lettered.toSlice(), letter, AttemptNews.Letter::read));
        return formats;
    }

    /** Every method that makes a key, by reflection: a new one cannot be forgotten. */
    private static List<Format> keys() {
        List<Format> keys = new ArrayList<>();
        Method[] methods = OutboxKeys.class.getDeclaredMethods();
        Arrays.sort(methods, Comparator.comparing(Method::getName).thenComparing(Method::getParameterCount));
        for (Method method : methods) {
            if (method.getReturnType() == byte[].class && !Modifier.isPrivate(method.getModifiers())) {
                keys.add(key(method));
            }
        }
        return keys;
    }

    private static Format key(Method method) {
        List<Object> arguments = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            arguments.add(type == StreamId.class ? STREAM : (Object) 70_000L);
        }
        try {
            method.setAccessible(true);
            byte[] key = (byte[]) method.invoke(null, arguments.toArray());
            String name = "key " + method.getName() + " of " + arguments.size();
            return new Format(name, STORE, key, arguments, bytes -> read(bytes, arguments.size()));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<?> read(byte[] key, int parts) {
        return switch (parts) {
            case 0 -> List.of();
            case 1 -> List.of(OutboxKeys.lastNumber(key));
            default ->
                List.of(OutboxKeys.entry(key).stream(), OutboxKeys.entry(key).sequence());
        };
    }

    /** A stream from its first entry to its end, with each fact in a value of its own. */
    private static final class Life {
        private final TestTurn turn = new TestTurn();
        private final Ledger ledger = new Ledger();
        private final List<Format> facts = new ArrayList<>();
        private final List<byte[]> written = new ArrayList<>();

        List<Format> facts() {
            ledger.boot(turn.disk(), turn);
            fact(Ledger.BOOT, "BOOT, AGE", () -> {});
            StreamTable[] table = new StreamTable[1];
            fact(Ledger.STREAM, "STREAM", () -> table[0] = ledger.open(STREAM, "mail"));
            held(table[0]);
            duties(table[0]);
            fact(Fact.Finished.CODE, "FINISHED", () -> ledger.finished(table[0], range(0, 5), List.of(B, C), turn));
            fact(Fact.Duty.TOLD.code, "TOLD", () -> ledger.note(table[0], Fact.Duty.TOLD, B, range(0, 5)));
            fact(Fact.Duty.TOLD.code, "TOLD, the last", () -> ledger.note(table[0], Fact.Duty.TOLD, C, range(0, 5)));
            fact(Ledger.FORGET, "FORGET", () -> ledger.forget(table[0]));
            fact(Ledger.AGE, "AGE, RETIRED", () -> {
                ledger.now += Duration.ofDays(365).toNanos();
                ledger.grow();
            });
            return facts;
        }

        private void held(StreamTable table) {
            Custody fresh = Custody.fresh(EntryState.HELD, List.of(A, B, C));
            Custody copy = new Custody(EntryState.COPY, 300, List.of(A, B, C), List.of(B, C, A), null);
            fact(Fact.Stored.CODE, "STORED", () -> ledger.stored(table, group(fresh), fresh, turn));
            fact(Fact.Mark.PREPARED.code, "PREPARED", () -> ledger.note(table, Fact.Mark.PREPARED, range(4, 5)));
            fact(Fact.Mark.DECIDED.code, "DECIDED", () -> ledger.note(table, Fact.Mark.DECIDED, range(4, 5)));
            fact(Fact.ChangedHands.CODE, "CUSTODY, a copy", () -> ledger.custody(table, range(1, 3), copy, turn));
            Custody adopted = new Custody(EntryState.HELD, 301, copy.owners(), copy.order(), B);
            fact(Fact.ChangedHands.CODE, "CUSTODY, adopted", () -> ledger.custody(table, range(1, 2), adopted, turn));
            Custody left = new Custody(EntryState.HELD, 302, copy.owners(), copy.order(), D);
            fact(
                    Fact.ChangedHands.CODE,
                    "CUSTODY, adopted from no owner",
                    () -> ledger.custody(table, range(2, 3), left, turn));
            fact(Fact.Mark.TAKEN.code, "TAKEN", () -> ledger.note(table, Fact.Mark.TAKEN, two(0, 3)));
            fact(Fact.Mark.GIVEN_BACK.code, "GIVEN_BACK", () -> ledger.note(table, Fact.Mark.GIVEN_BACK, range(0, 1)));
            fact(Fact.Mark.UNCERTAIN.code, "UNCERTAIN", () -> ledger.uncertain(table, range(1, 2)));
            fact(Fact.Mark.DEAD_LETTER.code, "DEAD", () -> ledger.note(table, Fact.Mark.DEAD_LETTER, range(3, 4)));
            fact(Fact.Mark.REVIVED.code, "ALIVE", () -> ledger.note(table, Fact.Mark.REVIVED, range(3, 4)));
            fact(Fact.Mark.TAKEN.code, "TAKEN, again", () -> ledger.note(table, Fact.Mark.TAKEN, range(3, 4)));
            fact(Fact.Mark.UNTOUCHED.code, "UNTOUCHED", () -> ledger.note(table, Fact.Mark.UNTOUCHED, range(3, 4)));
        }

        private void duties(StreamTable table) {
            fact(Fact.Duty.REPLACED.code, "RELEASE", () -> ledger.note(table, Fact.Duty.REPLACED, D, range(0, 2)));
            fact(Fact.Duty.RELEASED.code, "RELEASED", () -> ledger.note(table, Fact.Duty.RELEASED, D, range(0, 2)));
            fact(Fact.Duty.CLAIMED.code, "UNCONFIRMED", () -> ledger.note(table, Fact.Duty.CLAIMED, C, range(1, 3)));
            fact(Fact.Duty.CONFIRMED.code, "CONFIRMED", () -> ledger.note(table, Fact.Duty.CONFIRMED, C, range(1, 2)));
            fact(Fact.Mark.OUTRANKED.code, "OUTRANKED", () -> ledger.outranked(table, range(2, 3)));
        }

        private static RangeList range(long from, long to) {
            return RangeList.of(from, to);
        }

        private static RangeList two(long one, long other) {
            RangeList ranges = RangeList.of(one, one + 1);
            ranges.add(other, other + 1);
            return ranges;
        }

        private static Group group(Custody custody) {
            List<Slice> payloads = List.of(Slice.EMPTY, Slice.EMPTY, Slice.EMPTY, Slice.EMPTY, Slice.EMPTY);
            return Group.encode(STREAM, 0, "mail", custody, false, payloads);
        }

        private void fact(int code, String name, Runnable change) {
            change.run();
            ledger.flush(turn);
            turn.completeStore();
            long number = written.size() + 1L;
            turn.disk().scanNow(OutboxKeys.fact(number), OutboxKeys.fact(number + 1), (key, value) -> {
                written.add(value.toArray());
                return true;
            });
            byte[] bytes = written.get(written.size() - 1);
            assertThat(bytes[0] & ~Ledger.SAME_STREAM).as("code of %s", name).isEqualTo(code);
            List<byte[]> before = List.copyOf(written.subList(0, written.size() - 1));
            facts.add(new Format(
                    "fact " + code + " " + name, STORE, bytes, describe(ledger), golden -> replayed(before, golden)));
        }

        private static String replayed(List<byte[]> before, byte[] golden) {
            Ledger read = new Ledger();
            FactReplay replay = new FactReplay(read);
            before.forEach(fact -> replay.replay(1, Slice.of(fact)));
            replay.replay(2, Slice.of(golden));
            return describe(read);
        }
    }

    private static String describe(Ledger ledger) {
        return "age " + ledger.age.notedMillis() + ", over " + ledger.archive.of(STREAM) + ", "
                + LedgerTest.durable(ledger);
    }

    /** One stream that is old, one that ended lately, one that lives. */
    private static Format snapshot() {
        TestTurn turn = new TestTurn();
        Ledger ledger = new Ledger(0);
        ledger.boot(turn.disk(), turn);
        ended(ledger, 1, turn);
        turn.advance(Duration.ofSeconds(10));
        ledger.now = turn.now();
        ledger.grow();
        ended(ledger, 2, turn);
        StreamTable table = ledger.open(STREAM, "mail");
        Custody custody = Custody.fresh(EntryState.HELD, List.of(A, B, C));
        ledger.stored(table, Life.group(custody), custody, turn);
        ledger.finished(table, Life.two(0, 2), List.of(B, C), turn);
        ledger.note(table, Fact.Mark.TAKEN, Life.two(1, 3));
        ledger.note(table, Fact.Mark.DEAD_LETTER, Life.range(3, 4));
        ledger.note(table, Fact.Mark.PREPARED, Life.range(4, 5));
        ledger.uncertain(table, Life.range(4, 5));
        ledger.note(table, Fact.Duty.REPLACED, D, Life.range(3, 5));
        ledger.note(table, Fact.Duty.CLAIMED, C, Life.range(1, 2));
        ledger.flush(turn);
        turn.completeStore();
        BinWriter parts = new BinWriter();
        turn.disk().scanNow(OutboxKeys.snapshot(0), OutboxKeys.snapshot(Long.MAX_VALUE), (key, value) -> {
            parts.bytes(value);
            return true;
        });
        return format("snapshot", SNAPSHOT, parts.toSlice(), described(ledger), OutboxStoreGoldenTest::readSnapshot);
    }

    private static void ended(Ledger ledger, int lane, TestTurn turn) {
        StreamTable table = ledger.open(new StreamId(B, 7, lane), "q" + lane);
        ledger.finished(table, Life.range(0, 10L * lane), List.of(), turn);
        ledger.forget(table);
    }

    private static String described(Ledger ledger) {
        return ledger.archive.of(new StreamId(B, 7, 1)) + " " + ledger.archive.of(new StreamId(B, 7, 2)) + " recent "
                + ledger.archive.recentOf(B, Long.MIN_VALUE).size() + " " + LedgerTest.durable(ledger);
    }

    private static Object readSnapshot(BinReader in) {
        TestTurn turn = new TestTurn();
        for (long part = 0; in.hasMore(); part++) {
            turn.store().put(OutboxKeys.snapshot(part), in.bytes());
        }
        turn.completeStore();
        Ledger read = new Ledger();
        read.boot(turn.disk(), turn);
        return described(read);
    }

    /** Codes the replay does not know are refused by number; all others have an example. */
    @Test
    void everyFactHasGoldenBytes() {
        Slice stream =
                new BinWriter().u8(Ledger.STREAM).stream(STREAM).text("mail").toSlice();
        List<Integer> missing = new ArrayList<>();
        for (int code = 1; code < Ledger.SAME_STREAM; code++) {
            String example = "fact " + code + " ";
            Slice value =
                    new BinWriter().raw(stream).u8(code | Ledger.SAME_STREAM).toSlice();
            if (isKnown(code, value)
                    && formats().stream().noneMatch(format -> format.name().startsWith(example))) {
                missing.add(code);
            }
        }

        assertThat(missing).isEmpty();
        assertThat(isKnown(
                        18,
                        new BinWriter().raw(stream).u8(18 | Ledger.SAME_STREAM).toSlice()))
                .isTrue();
    }

    private static boolean isKnown(int code, Slice value) {
        Ledger ledger = new Ledger();
        try {
            new FactReplay(ledger).replay(1, value);
            return true;
        } catch (StoreException e) {
            return !(e.getCause() instanceof MalformedException cause)
                    || !("unknown fact " + code).equals(cause.getMessage());
        }
    }

    @Test
    void aFactAboutNoNewEntriesIsDamage() {
        Slice value = new BinWriter()
                .u8(Ledger.STREAM).stream(STREAM)
                        .text("mail")
                        .u8(Fact.Stored.CODE | Ledger.SAME_STREAM)
                        .varint(0)
                        .varint(0)
                        .toSlice();

        assertThatThrownBy(() -> new FactReplay(new Ledger()).replay(1, value))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("a fact about no new entries");
    }

    @Test
    void nothingIsLeftOutOfTheSnapshot() {
        String text = String.valueOf(snapshot().value());

        assertThat(text)
                .contains("[0..10] [0..20] recent 1", "dead [3..4]", "prepared [4..5]", "uncertain [1..2 3..5]");
    }

    @Test
    void aSnapshotOfALaterFormatIsRefusedByName() {
        TestTurn turn = new TestTurn();
        turn.store().put(OutboxKeys.snapshot(0), Slice.of(new byte[] {SNAPSHOT + 1}));
        turn.completeStore();

        assertThatThrownBy(() -> new Ledger().boot(turn.disk(), turn))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(StoreException.Kind.NEWER_VERSION))
                .hasMessageContaining("has format " + (SNAPSHOT + 1) + ", this version reads " + SNAPSHOT)
                .hasMessageContaining("start the version that wrote it");
    }
}
