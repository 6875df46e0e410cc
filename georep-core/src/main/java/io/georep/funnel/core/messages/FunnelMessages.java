package io.georep.funnel.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages between replicated maps. Each begins with the number of the sender's view.
 *
 * <pre>
 * message    = varint view | rest
 * DATA       = way | group
 * PART       = way | u8 rank of the head | varint counter | varint total | varint offset | bytes to the end
 * REPORT     = u8 full | varint number | varint clock | varint own | varint applied | runs | announced
 * announced  = varint count | (varint counter | varint clock | bytes key)*
 * RESEND     = nothing
 * COMMIT     = u8 0 | varint first | version stable | runs
 * FLUSH      = version applied | varint clock | ids | [version newest]
 * VIEW_START = as FLUSH, of all members together
 * FETCH      = ids
 * GROUP      = group
 * CATCH_UP   = version applied | version wiped | u8 follow
 * PAGE       = u8 flags (1 full, 2 complete) | version from | version until | version horizon | varint count | item*
 * item       = u8 kind | bytes name | bytes record
 * QUERY      = varint count | (varint number | version known | bytes key)*
 * LAST       = varint count | (varint number | u8 0 none, 1 as known, 2 value | [bytes value])*
 * UPDATE     = varint applied | ids
 * </pre>
 *
 * <p>{@code newest}: from version 2 of the channel on; left out if it is {@code applied}; else single commits up to it are there, of a transfer that was cut off.
 * {@code own}: how many writes of its own the sender has made durable in this view. {@code applied} in a report: number of the
 * newest commit that is durable there. {@code announced}: large writes of the sender among its own, which arrive long after the report: the
 * tail needs to hold back only what may come after them. {@code stable}: all members have applied so much durably. In a page, kind 0 is a key and 1 a
 * client; the record is the one of the store.
 */
public final class FunnelMessages {
    public static final int DATA = 1;
    public static final int PART = 2;
    public static final int REPORT = 3;
    public static final int RESEND = 4;
    public static final int COMMIT = 5;
    public static final int FLUSH = 6;
    public static final int VIEW_START = 7;
    public static final int FETCH = 8;
    public static final int GROUP = 9;
    public static final int CATCH_UP = 10;
    public static final int PAGE = 11;
    public static final int QUERY = 12;
    public static final int LAST = 13;
    public static final int UPDATE = 14;

    private static final int FULL = 1;
    private static final int COMPLETE = 2;
    private static final int ITEM_BYTES_MIN = 3;
    private static final int QUESTION_BYTES_MIN = 4;
    private static final int ANNOUNCED_BYTES_MIN = 3;

    private FunnelMessages() {}

    /** What became durable on a member. */
    public record Report(
            boolean full,
            long number,
            long clock,
            long own,
            long applied,
            List<Runs.Run> runs,
            List<Announced> announced) {
        public static Report read(BinReader in, int members) {
            Report report = new Report(
                    FunnelLayout.flag(in),
                    FunnelBounds.REPORT.read(in),
                    FunnelBounds.CLOCK.read(in),
                    FunnelBounds.COUNTER.read(in),
                    FunnelBounds.COMMIT.read(in),
                    Runs.read(in, members),
                    readAnnounced(in));
            in.requireEnd("a message");
            for (Announced each : report.announced) {
                if (each.counter > report.own || each.clock > report.clock) {
                    throw new MalformedException("a report announces write " + each.counter + " with clock "
                            + each.clock + ", later than itself");
                }
            }
            return report;
        }
    }

    /** A large write that its head reports. */
    public record Announced(long counter, long clock, Slice key) {}

    public static void report(
            BinWriter out,
            boolean full,
            long number,
            long clock,
            long own,
            long applied,
            Runs runs,
            List<Announced> announced) {
        out.u8(full ? 1 : 0).varint(number).varint(clock).varint(own).varint(applied);
        runs.writeAndClear(out);
        out.varint(announced.size());
        for (Announced each : announced) {
            out.varint(each.counter).varint(each.clock).bytes(each.key);
        }
    }

    private static List<Announced> readAnnounced(BinReader in) {
        int left = in.count(ANNOUNCED_BYTES_MIN, "announced writes");
        List<Announced> announced = new ArrayList<>(left);
        for (; left > 0; left--) {
            announced.add(new Announced(
                    FunnelBounds.COUNTER.read(in),
                    FunnelBounds.CLOCK.read(in),
                    Slice.of(in.bytes().toArray())));
        }
        return announced;
    }

    /**
     * What the tail committed in one turn, from the first number on.
     *
     * @param atMillis the tail's wall clock
     */
    public record Commit(long first, long atMillis, Version stable, List<Runs.Run> runs) {
        public static Commit read(BinReader in, int members) {
            Commit commit = new Commit(
                    FunnelBounds.COMMIT.read(in),
                    FunnelBounds.WALL_MILLIS.read(in),
                    Version.read(in),
                    Runs.read(in, members));
            in.requireEnd("a message");
            return commit;
        }
    }

    public static void commit(BinWriter out, long first, long atMillis, Version stable, Runs runs) {
        out.varint(first).varint(atMillis);
        stable.write(out);
        runs.writeAndClear(out);
    }

    /** What a member holds, or the initial content of a view: FLUSH and VIEW_START. */
    public record Holding(Version version, long clock, List<WriteId> ids, Version newest) {
        public static Holding read(BinReader in) {
            Version version = Version.read(in);
            long clock = FunnelBounds.CLOCK.read(in);
            List<WriteId> ids = Runs.readIds(in);
            Holding holding = new Holding(version, clock, ids, Version.read(in));
            in.requireEnd("a message");
            return holding;
        }
    }

    public static void holding(BinWriter out, Holding what) {
        what.version.write(out);
        out.varint(what.clock);
        Runs.writeIds(what.ids, out);
        what.newest.write(out);
    }

    /** A question for everything newer than a version. */
    public record CatchUp(Version applied, Version wiped, boolean follow) {
        public static CatchUp read(BinReader in) {
            CatchUp asked = new CatchUp(Version.read(in), Version.read(in), FunnelLayout.flag(in));
            in.requireEnd("a message");
            return asked;
        }
    }

    public static void catchUp(BinWriter out, Version applied, Version wiped, boolean follow) {
        applied.write(out);
        wiped.write(out);
        out.u8(follow ? 1 : 0);
    }

    /** A key or a client. */
    public record Stored(boolean isClient, Slice name, Slice record) {}

    /**
     * The next part of a transfer.
     *
     * @param full whether the receiver must drop all it has first
     * @param complete whether nothing newer was there
     * @param from it holds everything newer than this
     * @param until everything up to this version was sent
     */
    public record Page(
            boolean full, boolean complete, Version from, Version until, Version horizon, List<Stored> items) {
        public static Page read(BinReader in) {
            int flags = in.u8();
            if (flags > (FULL | COMPLETE)) {
                throw new MalformedException("flags of a page are " + flags);
            }
            Version from = Version.read(in);
            Version until = Version.read(in);
            Version horizon = Version.read(in);
            int left = in.count(ITEM_BYTES_MIN, "records");
            List<Stored> items = new ArrayList<>(left);
            for (; left > 0; left--) {
                items.add(new Stored(FunnelLayout.flag(in), in.bytes(), in.bytes()));
            }
            in.requireEnd("a message");
            return new Page((flags & FULL) != 0, (flags & COMPLETE) != 0, from, until, horizon, items);
        }
    }

    public static void page(
            BinWriter out,
            boolean full,
            boolean complete,
            Version from,
            Version until,
            Version horizon,
            List<Stored> items) {
        out.u8((full ? FULL : 0) | (complete ? COMPLETE : 0));
        from.write(out);
        until.write(out);
        horizon.write(out);
        out.varint(items.size());
        for (Stored item : items) {
            out.u8(item.isClient ? 1 : 0).bytes(item.name).bytes(item.record);
        }
    }

    /** A question for the newest value of a key. */
    public record Question(long number, Version known, Slice key) {}

    public static List<Question> readQuery(BinReader in) {
        int left = in.count(QUESTION_BYTES_MIN, "questions");
        List<Question> questions = new ArrayList<>(left);
        for (; left > 0; left--) {
            questions.add(new Question(in.varint(), Version.read(in), in.bytes()));
        }
        in.requireEnd("a message");
        return questions;
    }

    /** Answer: the key has no value. */
    public static final int NONE = 0;

    /** Answer: the newest version is the one the asker knows. */
    public static final int AS_KNOWN = 1;

    /** Answer: the value follows. */
    public static final int VALUE = 2;

    /** The answer to a question. */
    public record Answer(long number, int known, @Nullable Slice value) {}

    public static void answer(BinWriter out, long number, int known, @Nullable Slice value) {
        out.varint(number).u8(known);
        if (value != null) {
            out.bytes(value);
        }
    }

    public static List<Answer> readLast(BinReader in) {
        int left = in.count(2, "answers");
        List<Answer> answers = new ArrayList<>(left);
        for (; left > 0; left--) {
            long number = in.varint();
            int known = in.u8();
            if (known > VALUE) {
                throw new MalformedException("kind of an answer is " + known);
            }
            Slice value = known == VALUE ? Slice.of(in.bytes().toArray()) : null;
            answers.add(new Answer(number, known, value));
        }
        in.requireEnd("a message");
        return answers;
    }
}
