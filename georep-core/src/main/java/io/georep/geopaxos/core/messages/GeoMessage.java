package io.georep.geopaxos.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.LogPlace;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.placement.CostModel;
import io.georep.geopaxos.core.placement.SiteCounts;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What nodes say to each other.
 *
 * <pre>
 * LOG    = u8 group | message of the log                                (see {@link LogMessage})
 * ORDER  = u8 group | operation                                         (see {@link GroupEntry})
 * PAGE   = varint number | varint offset | u8 last | bytes page         of a state: i32 length | {@link StatePiece}, and so on
 * GOT    = varint number | varint bytes
 * REPORT = varint groups | (varint microseconds to the home of a group)* | (varint microseconds of its round)* | varint count | (i64 object | varint reads)*
 * CHANGE = layout                                                      (see {@link Layouts})
 * READ   = i64 number | bytes operation
 * FOUND  = i64 number | u8 1 | bytes result, or i64 number | u8 0
 * OFFER  = u8 forgets | varint count | text procedure*
 * LOGS   = i64 store | varint count | place*                           (see {@link LogPlace})
 * CALL   = i64 number | u8 bits: 1 reads, 2 again | i64 client | varint number | varint acknowledged | bytes operation
 * ANSWER = i64 number | u8 0, or u8 1 | bytes result, or u8 2 | text reason | text why
 * </pre>
 */
public sealed interface GeoMessage {
    int LOG = 1;
    int ORDER = 2;
    int PAGE = 3;
    int GOT = 4;
    int REPORT = 5;
    int CHANGE = 6;
    int READ = 7;
    int FOUND = 8;
    int OFFER = 9;
    int LOGS = 10;
    int CALL = 11;
    int ANSWER = 12;

    /** Within a group, and to those who learn what it decides. */
    record Log(int group, LogMessage message) implements GeoMessage {}

    /** The leader of the group is to order this operation, unless it has. */
    record Order(int group, Operation operation) implements GeoMessage {}

    /**
     * A part of a state, for a node that needs slots which are forgotten.
     *
     * @param number of the state among those of the sender
     * @param offset of this page
     * @param isLast whether the state ends with this page
     */
    record Page(long number, long offset, boolean isLast, Slice bytes) implements GeoMessage {
        public long end() {
            return offset + bytes.length();
        }
    }

    /** Acknowledges so many bytes of that state. */
    record Got(long number, long bytes) implements GeoMessage {}

    /**
     * A report for the node that decides which objects move.
     *
     * @param delays from the sender to the homes of all groups, in microseconds
     * @param rounds from the sender to a majority of each group and back, in microseconds: what a group takes to decide under its lead
     * @param reads of the sender that were never ordered, by object
     */
    record Report(List<Integer> delays, List<Integer> rounds, SortedMap<Long, Integer> reads) implements GeoMessage {}

    /** The leader of the first group is to order that these nodes take part. */
    record Change(OrderedMapsLayout layout) implements GeoMessage {}

    /** The leader of the group is to read this by its lease. */
    record Read(long number, Slice operation) implements GeoMessage {}

    /** What such a read has found; null if it cannot be read so. */
    record Found(long number, @Nullable Slice result) implements GeoMessage {}

    /**
     * What the sender can.
     *
     * @param forgets whether its store forgets at a restart: then it is to get no vote
     * @param procedures that it has
     */
    record Offer(boolean forgets, List<String> procedures) implements GeoMessage {}

    /**
     * Which logs the sender has, and how far.
     *
     * @param store its number as a seat
     * @param places in the log of each group that it knows
     */
    record Logs(long store, List<LogPlace> places) implements GeoMessage {
        /** Copies the list. */
        public Logs {
            places = List.copyOf(places);
        }
    }

    /**
     * The receiver is to make a call in the name of the sender, which has no part in the groups.
     *
     * @param isAgain whether it was asked for this before
     * @param sequence number of the operation, as in {@link GeoCommand.Submit}; 0 if it only reads
     */
    record Call(long number, boolean isRead, boolean isAgain, long client, long sequence, long acked, Slice operation)
            implements GeoMessage {
        /** Asks for what a command asks for. */
        public static Call of(long number, GeoCommand command, boolean isAgain) {
            if (command instanceof GeoCommand.Submit it) {
                return new Call(number, false, isAgain, it.client(), it.sequence(), it.acked(), it.operation());
            }
            return new Call(number, true, isAgain, 0, 0, 0, ((GeoCommand.Read) command).operation());
        }

        /** Returns the command that asks for it. */
        public GeoCommand command(Object token) {
            return isRead
                    ? new GeoCommand.Read(token, operation)
                    : new GeoCommand.Submit(token, client, sequence, acked, operation);
        }
    }

    /**
     * What became of such a call.
     *
     * @param result null if it is not known
     * @param reason why it had no effect; null if it had
     */
    record Answer(long number, @Nullable Slice result, GeoEvent.@Nullable Reason reason, String why)
            implements GeoMessage {
        /** Creates the answer to a call that took effect. A null result: it may have. */
        public static Answer of(long number, @Nullable Slice result) {
            return new Answer(number, result, null, "");
        }

        /** Creates the answer to a call that had no effect, and will have none. */
        public static Answer refused(long number, GeoEvent.Reason reason, String why) {
            return new Answer(number, null, reason, why);
        }

        private void write(BinWriter out) {
            out.i64(number).u8(reason != null ? 2 : result != null ? 1 : 0);
            if (reason != null) {
                out.text(reason.name()).text(why);
            } else if (result != null) {
                out.bytes(result);
            }
        }

        private static Answer read(BinReader in) {
            long number = in.i64();
            int kind = in.u8();
            if (kind < 2) {
                return of(number, kind == 0 ? null : Slice.of(in.bytes().toArray()));
            }
            String name = in.text();
            for (GeoEvent.Reason reason : GeoEvent.Reason.values()) {
                if (kind == 2 && reason.name().equals(name)) {
                    return refused(number, reason, in.text());
                }
            }
            throw new MalformedException("an answer of kind " + kind + " for reason " + name);
        }
    }

    /** Returns its type. */
    default int type() {
        if (this instanceof Call || this instanceof Answer) {
            return this instanceof Call ? CALL : ANSWER;
        }
        if (this instanceof Log) {
            return LOG;
        }
        if (this instanceof Report) {
            return REPORT;
        }
        if (this instanceof Read || this instanceof Found) {
            return this instanceof Read ? READ : FOUND;
        }
        if (this instanceof Offer || this instanceof Logs) {
            return this instanceof Offer ? OFFER : LOGS;
        }
        return this instanceof Order ? ORDER : this instanceof Page ? PAGE : this instanceof Got ? GOT : CHANGE;
    }

    /** Returns the encoding without the type. */
    default Slice body() {
        BinWriter out = new BinWriter(128);
        if (this instanceof Log it) {
            out.u8(it.group).raw(it.message.encode());
        } else if (this instanceof Order it) {
            it.operation.write(out.u8(it.group));
        } else if (this instanceof Page it) {
            out.varint(it.number).varint(it.offset).u8(it.isLast ? 1 : 0).bytes(it.bytes);
        } else if (this instanceof Got it) {
            out.varint(it.number).varint(it.bytes);
        } else if (this instanceof Report it) {
            out.varint(it.delays.size());
            it.delays.forEach(out::varint);
            it.rounds.forEach(out::varint);
            out.varint(it.reads.size());
            it.reads.forEach((object, count) -> out.i64(object).varint(count));
        } else if (this instanceof Change it) {
            Layouts.write(it.layout, out);
        } else if (this instanceof Read it) {
            out.i64(it.number).bytes(it.operation);
        } else if (this instanceof Found it) {
            out.i64(it.number).u8(it.result == null ? 0 : 1);
            if (it.result != null) {
                out.bytes(it.result);
            }
        } else if (this instanceof Offer it) {
            out.u8(it.forgets ? 1 : 0).varint(it.procedures.size());
            it.procedures.forEach(out::text);
        } else if (this instanceof Logs it) {
            out.i64(it.store).varint(it.places.size());
            it.places.forEach(place -> place.write(out));
        } else if (this instanceof Call it) {
            out.i64(it.number).u8((it.isRead ? 1 : 0) | (it.isAgain ? 2 : 0)).i64(it.client);
            out.varint(it.sequence).varint(it.acked).bytes(it.operation);
        } else if (this instanceof Answer it) {
            it.write(out);
        }
        return out.toSlice();
    }

    /**
     * Reads a message. Whatever is to be executed or kept because of it can be. It may be of a group that was added, and that this
     * node has not heard of yet.
     *
     * @param founded how many groups there were in the beginning
     * @throws MalformedException if it is none, or not of a cluster with so many groups
     */
    static GeoMessage read(int type, BinReader in, int founded) {
        GeoMessage message = switch (type) {
            case LOG -> new Log(group(in), check(LogMessage.read(in), founded));
            case ORDER -> order(group(in), Operation.read(in));
            case PAGE ->
                new Page(
                        number(in), bytes(in), in.u8() == 1, Slice.of(in.bytes().toArray()));
            case GOT -> new Got(number(in), bytes(in));
            case REPORT -> report(in);
            case CHANGE -> new Change(Layouts.check(Layouts.read(in), founded));
            case READ -> new Read(in.i64(), Slice.of(in.bytes().toArray()));
            case FOUND -> new Found(in.i64(), in.u8() == 1 ? Slice.of(in.bytes().toArray()) : null);
            case OFFER -> new Offer(in.u8() == 1, texts(in));
            case LOGS -> new Logs(in.i64(), places(in));
            case CALL -> call(in.i64(), in.u8(), in);
            case ANSWER -> Answer.read(in);
            default -> throw new MalformedException("a message of type " + type);
        };
        in.requireEnd("a message");
        return message;
    }

    private static Order order(int group, Operation operation) {
        operation.check();
        if (!operation.isOrderedBy(group)) {
            throw new MalformedException("an operation for group " + group + ", which does not order it");
        }
        return new Order(group, operation);
    }

    private static Call call(long number, int bits, BinReader in) {
        long client = in.i64();
        long sequence = number(in);
        long acked = number(in);
        Slice operation = Slice.of(in.bytes().toArray());
        return new Call(number, (bits & 1) != 0, (bits & 2) != 0, client, sequence, acked, operation);
    }

    private static Report report(BinReader in) {
        int groups = (int) in.varint(GeoGroups.MAX, "groups");
        List<Integer> delays = micros(in, groups);
        List<Integer> rounds = micros(in, groups);
        SortedMap<Long, Integer> reads = new TreeMap<>();
        for (int left = in.count(9, "objects"); left > 0; left--) {
            reads.put(in.i64(), (int) in.varint(SiteCounts.MAX, "reads"));
        }
        return new Report(delays, rounds, reads);
    }

    private static List<String> texts(BinReader in) {
        List<String> texts = new ArrayList<>();
        for (int left = in.count(1, "procedures"); left > 0; left--) {
            texts.add(in.text());
        }
        return texts;
    }

    private static List<LogPlace> places(BinReader in) {
        List<LogPlace> places = new ArrayList<>();
        for (int left = (int) in.varint(GeoGroups.MAX, "groups"); left > 0; left--) {
            places.add(LogPlace.read(in));
        }
        return places;
    }

    private static List<Integer> micros(BinReader in, int groups) {
        List<Integer> micros = new ArrayList<>();
        while (micros.size() < groups) {
            micros.add((int) in.varint(CostModel.DELAY_MICROS_MAX, "delay"));
        }
        return micros;
    }

    /** Refuses a message with an entry that no node could process once it is decided. */
    static LogMessage check(LogMessage message, int founded) {
        if (message instanceof LogMessage.Accept accept) {
            accept.entries().forEach(entry -> check(entry, founded));
        } else if (message instanceof LogMessage.Learn learn) {
            learn.entries().forEach(entry -> check(entry, founded));
        } else if (message instanceof LogMessage.Promise promise) {
            promise.proposals().forEach(proposal -> check(proposal.entry(), founded));
        }
        return message;
    }

    private static void check(LogEntry entry, int founded) {
        if (entry.kind() != LogEntry.COMMAND) {
            return;
        }
        GroupEntry read = GroupEntry.read(entry.body());
        if (read instanceof GroupEntry.Set set) {
            set.operation().check();
        } else if (read instanceof GroupEntry.Cut cut
                && (cut.slots().size() < founded || cut.slots().size() > GeoGroups.MAX)) {
            throw new MalformedException("slots of " + cut.slots().size() + " groups, not of " + founded + " or more");
        } else if (read instanceof GroupEntry.Change change) {
            Layouts.check(change.layout(), founded);
        }
    }

    private static long number(BinReader in) {
        return in.varint(Long.MAX_VALUE, "number");
    }

    private static long bytes(BinReader in) {
        return in.varint(Operation.NUMBER_MAX, "bytes");
    }

    private static int group(BinReader in) {
        int group = in.u8();
        if (group >= GeoGroups.MAX) {
            throw new MalformedException("group " + group + " of " + GeoGroups.MAX);
        }
        return group;
    }
}
