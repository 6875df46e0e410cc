package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.consensus.LogMessage;
import io.georep.consensus.Seats;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * What nodes say to each other.
 *
 * <pre>
 * message = u8 1 | u8 group | message of the log
 *         | u8 2 | u8 group | operation
 *         | u8 3 | bytes snapshot | varint count | (varint slot | bytes seats)*
 *         | u8 4 | varint slot of each group
 *         | u8 5
 * </pre>
 */
sealed interface GeoMessage {
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

    /** Returns the encoding. */
    default Slice encode() {
        BinWriter out = new BinWriter(128);
        if (this instanceof Log it) {
            out.u8(1).u8(it.group).raw(it.message.encode());
        } else if (this instanceof Order it) {
            it.operation.write(out.u8(2).u8(it.group));
        } else if (this instanceof State it) {
            out.u8(3).bytes(it.snapshot).varint(it.seats.size());
            it.seats.forEach(each -> out.varint(each.slot()).bytes(Seats.encode(each.list())));
        } else if (this instanceof Cut it) {
            it.slots.forEach(out.u8(4)::varint);
        } else {
            out.u8(5);
        }
        return out.toSlice();
    }

    /** Reads a message. */
    static GeoMessage read(BinReader in, int groups) {
        int type = in.u8();
        return switch (type) {
            case 1 -> new Log(group(in, groups), LogMessage.read(in));
            case 2 -> new Order(group(in, groups), Operation.read(in));
            case 3 -> {
                Slice snapshot = Slice.of(in.bytes().toArray());
                List<Seats> seats = new ArrayList<>();
                for (int left = in.count(2, "groups"); left > 0; left--) {
                    long slot = in.varint();
                    seats.add(Seats.read(slot, in.bytes()));
                }
                if (seats.size() != groups) {
                    throw new MalformedException("a state of " + seats.size() + " groups, not " + groups);
                }
                yield new State(snapshot, seats);
            }
            case 4 -> {
                List<Long> slots = new ArrayList<>();
                for (int group = 0; group < groups; group++) {
                    slots.add(in.varint());
                }
                yield new Cut(slots);
            }
            case 5 -> new Ask();
            default -> throw new MalformedException("a message of type " + type);
        };
    }

    private static int group(BinReader in, int groups) {
        int group = in.u8();
        if (group >= groups) {
            throw new MalformedException("group " + group + " of " + groups);
        }
        return group;
    }
}
