package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.Seats;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * What nodes say to each other.
 *
 * <pre>
 * LOG   = u8 group | message of the log                                (see {@link LogMessage})
 * ORDER = u8 group | operation                                         (see {@link GroupEntry})
 * STATE = bytes snapshot | varint count | (varint slot | bytes seats)*
 * CUT   = varint slot of each group
 * ASK   = nothing
 * </pre>
 */
sealed interface GeoMessage {
    int LOG = 1;
    int ORDER = 2;
    int STATE = 3;
    int CUT = 4;
    int ASK = 5;

    /** Within a group, and to those who learn what it decides. */
    record Log(int group, LogMessage message) implements GeoMessage {}

    /** The leader of the group is to order this operation, unless it has. */
    record Order(int group, Operation operation) implements GeoMessage {}

    /** What the sender has executed, for a node that needs slots which are forgotten; with the seats of each group by then. */
    record State(Slice snapshot, List<Seats> seats) implements GeoMessage {}

    /** The sender has a snapshot that has processed the logs up to these slots. */
    record Cut(List<Long> slots) implements GeoMessage {}

    /** The sender is behind, and asks for a state. */
    record Ask() implements GeoMessage {}

    /** Returns its type. */
    default int type() {
        if (this instanceof Log) {
            return LOG;
        }
        return this instanceof Order ? ORDER : this instanceof State ? STATE : this instanceof Cut ? CUT : ASK;
    }

    /** Returns the encoding without the type. */
    default Slice body() {
        BinWriter out = new BinWriter(128);
        if (this instanceof Log it) {
            out.u8(it.group).raw(it.message.encode());
        } else if (this instanceof Order it) {
            it.operation.write(out.u8(it.group));
        } else if (this instanceof State it) {
            out.bytes(it.snapshot).varint(it.seats.size());
            it.seats.forEach(each -> out.varint(each.slot()).bytes(Seats.encode(each.list())));
        } else if (this instanceof Cut it) {
            it.slots.forEach(out::varint);
        }
        return out.toSlice();
    }

    /**
     * Reads a message. Whatever is to be executed or kept because of it can be.
     *
     * @throws MalformedException if it is none, or not of a cluster with so many groups
     */
    static GeoMessage read(int type, BinReader in, int groups) {
        GeoMessage message = switch (type) {
            case LOG -> new Log(group(in, groups), log(LogMessage.read(in), groups));
            case ORDER -> order(group(in, groups), Operation.read(in), groups);
            case STATE -> state(in, groups);
            case CUT -> {
                List<Long> slots = new ArrayList<>();
                for (int group = 0; group < groups; group++) {
                    slots.add(slot(in));
                }
                yield new Cut(slots);
            }
            case ASK -> new Ask();
            default -> throw new MalformedException("a message of type " + type);
        };
        if (in.hasMore()) {
            throw new MalformedException(in.remaining() + " bytes behind a message of type " + type);
        }
        return message;
    }

    private static State state(BinReader in, int groups) {
        Slice snapshot = Slice.of(in.bytes().toArray());
        List<Seats> seats = new ArrayList<>();
        for (int left = in.count(2, "groups"); left > 0; left--) {
            long slot = slot(in);
            seats.add(Seats.read(slot, in.bytes()));
        }
        if (seats.size() != groups) {
            throw new MalformedException("a state of " + seats.size() + " groups, not " + groups);
        }
        return new State(snapshot, seats);
    }

    private static Order order(int group, Operation operation, int groups) {
        operation.check(groups);
        if (!operation.isOrderedBy(group)) {
            throw new MalformedException("an operation for group " + group + ", which does not order it");
        }
        return new Order(group, operation);
    }

    /** Nobody accepts an entry that nobody could process once it is decided. */
    private static LogMessage log(LogMessage message, int groups) {
        if (message instanceof LogMessage.Accept accept) {
            accept.entries().forEach(entry -> check(entry, groups));
        } else if (message instanceof LogMessage.Learn learn) {
            learn.entries().forEach(entry -> check(entry, groups));
        } else if (message instanceof LogMessage.Promise promise) {
            promise.proposals().forEach(proposal -> check(proposal.entry(), groups));
        }
        return message;
    }

    private static void check(LogEntry entry, int groups) {
        if (entry.kind() == LogEntry.COMMAND && GroupEntry.read(entry.body()) instanceof GroupEntry.Set set) {
            set.operation().check(groups);
        }
    }

    private static long slot(BinReader in) {
        return in.varint(1L << 60, "slot");
    }

    private static int group(BinReader in, int groups) {
        int group = in.u8();
        if (group >= groups) {
            throw new MalformedException("group " + group + " of " + groups);
        }
        return group;
    }
}
