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
 * </pre>
 */
sealed interface GeoMessage {
    /** Within a group, and to those who learn what it decides. */
    record Log(int group, LogMessage message) implements GeoMessage {}

    /** The leader of the group is to order this operation, unless it has. */
    record Order(int group, Operation operation) implements GeoMessage {}

    /** What the sender has executed, for a node that needs slots which are forgotten; with the seats of each group by then. */
    record State(Slice snapshot, List<Seats> seats) implements GeoMessage {}

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
