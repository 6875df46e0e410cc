package io.georep.geopaxos.core.messages;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * What stands in the log of a group.
 *
 * <pre>
 * entry     = u8 1 | operation
 *           | u8 2 | id | varint clock
 *           | u8 3 | varint count | varint slot of each group
 *           | u8 4 | layout                                            (see {@link Layouts})
 *           | u8 5 | varint count | (i64 client | varint number)*
 *           | u8 6 | varint count | (text node)*
 * operation = id | i32 groups | u8 kind | varint sequence | [i64 client | varint acked, if it has one] | varint low | bytes body
 * id        = text contact | varint incarnation | varint number
 * </pre>
 */
public sealed interface GroupEntry {
    /** Gives the operation its place in this group, and the next timestamp. */
    record Set(Operation operation) implements GroupEntry {}

    /**
     * The clock of the group passes the timestamp of an operation: what comes later is later.
     *
     * @param clock as the leader believed the timestamp to be
     */
    record Sync(OpId id, long clock) implements GroupEntry {}

    /** In the log of the first group: what stands in the logs up to these slots can be forgotten. See {@link io.georep.geopaxos.core.execution.Truncation}. */
    record Cut(List<Long> slots) implements GroupEntry {}

    /** In the log of the first group: who is to take part from now on. See {@link io.georep.geopaxos.core.SeatChanges}. */
    record Change(OrderedMapsLayout layout) implements GroupEntry {}

    /**
     * This log takes no more operations of these clients up to numbers that they have acknowledged. See {@link
     * io.georep.geopaxos.core.execution.ExecutedTable}.
     */
    record Acked(List<Mark> marks) implements GroupEntry {}

    /** This log takes no more operations of these contacts, which do not take part any more, except of later incarnations. */
    record Gone(List<NodeId> contacts) implements GroupEntry {}

    /** A number of a client. */
    record Mark(long client, long number) {}

    /** Returns the encoding. */
    default Slice encode() {
        BinWriter out = new BinWriter(64);
        if (this instanceof Set it) {
            it.operation.write(out.u8(1));
        } else if (this instanceof Sync it) {
            it.id.write(out.u8(2));
            out.varint(it.clock);
        } else if (this instanceof Cut it) {
            out.u8(3).varint(it.slots.size());
            it.slots.forEach(out::varint);
        } else if (this instanceof Change it) {
            Layouts.write(it.layout, out.u8(4));
        } else if (this instanceof Acked it) {
            out.u8(5).varint(it.marks.size());
            it.marks.forEach(mark -> out.i64(mark.client).varint(mark.number));
        } else if (this instanceof Gone it) {
            out.u8(6).varint(it.contacts.size());
            it.contacts.forEach(out::node);
        }
        return out.toSlice();
    }

    /** Reads an entry. */
    static GroupEntry read(Slice body) {
        BinReader in = new BinReader(body);
        int type = in.u8();
        GroupEntry entry = switch (type) {
            case 1 -> new Set(Operation.read(in));
            case 2 -> new Sync(OpId.read(in), in.varint(Operation.NUMBER_MAX, "clock"));
            case 3 -> new Cut(slots(in, in.count(1, "groups")));
            case 4 -> new Change(Layouts.read(in));
            case 5 -> new Acked(marks(in));
            case 6 -> new Gone(contacts(in));
            default -> throw new MalformedException("an entry of type " + type);
        };
        in.requireEnd("an entry");
        return entry;
    }

    private static List<Mark> marks(BinReader in) {
        List<Mark> marks = new ArrayList<>();
        for (int left = in.count(9, "clients"); left > 0; left--) {
            marks.add(new Mark(in.i64(), in.varint(Operation.NUMBER_MAX, "number")));
        }
        return marks;
    }

    private static List<NodeId> contacts(BinReader in) {
        List<NodeId> contacts = new ArrayList<>();
        for (int left = in.count(1, "contacts"); left > 0; left--) {
            contacts.add(in.node());
        }
        return contacts;
    }

    /** Reads a slot of each group. */
    static List<Long> slots(BinReader in, int groups) {
        List<Long> slots = new ArrayList<>();
        for (int group = 0; group < groups; group++) {
            slots.add(in.varint(Operation.NUMBER_MAX, "slot"));
        }
        return slots;
    }
}
