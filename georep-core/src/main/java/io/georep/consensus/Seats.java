package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Fnv;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The acceptors that vote. Decided seats count from the slot after their entry on. The first seats are the founders' names,
 * each with whatever store it has; all founders are needed to vote in the seats with their real stores. So an emptied founder
 * that begins anew does no harm.
 *
 * @param slot where they were decided; 0 for the founders
 * @param log identifies the log: groups that are founded of the same names have other ones; 0 before the first seats are decided
 * @param list the seats; the first one is where the leader is at home
 * @param origins the logs from which this one has gone on, see {@link LogRestoration#goOn}
 */
public record Seats(long slot, long log, List<Seat> list, List<Origin> origins) {
    /** The most seats a group can have: more make each entry slower and none safer. */
    public static final int MAX = 9;

    /** Copies the lists. */
    public Seats {
        list = List.copyOf(list);
        origins = List.copyOf(origins);
        if (list.isEmpty() || list.size() > MAX) {
            throw new IllegalArgumentException(list.size() + " seats: a group has 1 to " + MAX);
        }
    }

    /** Seats of a log that has gone on from no other one. */
    public Seats(long slot, long log, List<Seat> list) {
        this(slot, log, list, List.of());
    }

    /** Returns the seats of a group that has decided nothing. */
    static Seats founders(List<NodeId> names) {
        return new Seats(
                0, 0, names.stream().map(name -> new Seat(name, Seat.ANY)).toList());
    }

    /** Returns how many seats it takes to elect a leader, and to decide an entry. */
    int quorum() {
        return slot == 0 ? list.size() : list.size() / 2 + 1;
    }

    /** Returns whether the votes of the leader and of this other node are a majority, so that it need not wait for the leader to hear of both. */
    public boolean isDecidedWithLeader(NodeId other) {
        return names(other) && quorum() <= Voter.VOTES_KNOWN;
    }

    /** Without streams: this is called in each turn, and they would cost more than all the rest of the turn. */
    boolean has(Seat seat) {
        for (Seat own : list) {
            if (own.admits(seat)) {
                return true;
            }
        }
        return false;
    }

    boolean names(NodeId node) {
        return of(node) != null;
    }

    /** Returns the seat of a node; null if it has none. */
    @Nullable
    public Seat of(NodeId node) {
        for (Seat own : list) {
            if (own.node().equals(node)) {
                return own;
            }
        }
        return null;
    }

    /** Returns how many seats come before that of a node; all of them if it has none. */
    int place(NodeId node) {
        int place = 0;
        while (place < list.size() && !list.get(place).node().equals(node)) {
            place++;
        }
        return place;
    }

    /** Returns where the leader is at home. */
    public Seat home() {
        return list.get(0);
    }

    /** Returns the same seats, with another store of a node in the place of its former one. */
    List<Seat> replaced(Seat by) {
        return list.stream().map(own -> own.node().equals(by.node()) ? by : own).toList();
    }

    /** Returns the body of an entry. */
    public static Slice encode(List<Seat> list) {
        BinWriter out = new BinWriter().varint(list.size());
        list.forEach(seat -> seat.write(out));
        return out.toSlice();
    }

    /**
     * Returns the seats after a slot. The stores of the first seats have random numbers, which identify the log; so
     * has the store of the node that goes on alone.
     */
    public Seats after(long at, LogEntry entry) {
        if (!entry.changesSeats()) {
            return this;
        } else if (entry.kind() == LogEntry.GOES_ON) {
            List<Origin> all = new ArrayList<>(origins);
            all.add(new Origin(log, entry.lastInCommon()));
            return new Seats(at, Fnv.hash(entry.body()), read(entry.body()), all);
        }
        return new Seats(at, slot == 0 ? Fnv.hash(entry.body()) : log, read(entry.body()), origins);
    }

    /** Returns whether both logs are known, and are not the same. */
    public boolean isOfAnotherLog(long other) {
        return log != 0 && other != 0 && log != other;
    }

    /** Appends the encoding. The origins are inside the bytes of the seats, where others read nothing, and only if there are any. */
    public void write(BinWriter out) {
        BinWriter seats = new BinWriter().raw(encode(list));
        if (!origins.isEmpty()) {
            Origin.write(origins, seats);
        }
        out.varint(slot).i64(log).bytes(seats.toSlice());
    }

    /** Reads what {@link #write} has written. */
    public static Seats read(BinReader in) {
        long slot = in.varint(LogMessage.SLOT_MAX, "slot of seats");
        long log = in.i64();
        BinReader seats = new BinReader(in.bytes());
        return new Seats(slot, log, list(seats), seats.hasMore() ? Origin.read(seats) : List.of());
    }

    /** Reads the body of an entry. */
    public static List<Seat> read(Slice body) {
        return list(new BinReader(body));
    }

    static List<Seat> list(BinReader in) {
        int count = (int) in.varint(MAX, "seats");
        if (count == 0) {
            throw new MalformedException("a group without seats");
        }
        List<Seat> list = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            list.add(Seat.read(in));
        }
        return list;
    }
}
