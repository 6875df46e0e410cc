package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.consensus.Ballot;
import io.georep.consensus.Departure;
import io.georep.consensus.LogRecord;
import io.georep.consensus.Proposal;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoRecord;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.BrokenInvariantException;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a node has in its store.
 *
 * <pre>
 * 05 0              the groups: varint count | (text node)* | varint count | (varint count | (text founder)*)* | i32 initial
 * 05 1              number of this store as a seat of the logs: i64
 * 05 2              state: u8 generation | head
 * 05 3 u8 group 0   promised: ballot
 * 05 3 u8 group 1   varint last slot that is known to be decided
 * 05 3 u8 group 2   base of the log: varint slot | varint slot of the seats | i64 log | bytes seats
 * 05 3 u8 group 3 i64   proposal for a slot after the base
 * 05 4 u8 generation u8 kind i64 i64   content of a {@link StatePiece}
 * </pre>
 *
 * Pieces of another generation than that of the state are parts of one that has not come to its end: they count for nothing.
 */
final class GeoStore {
    private static final int GROUPS = 0;
    private static final int SEAT = 1;
    private static final int STATE = 2;
    private static final int LOG = 3;
    private static final int PIECE = 4;

    private static final int PROMISED = 0;
    private static final int DECIDED = 1;
    private static final int BASE = 2;
    private static final int PROPOSAL = 3;
    private static final int DEPARTURE = 4;

    /** What was found of the log of a group. */
    private static final class Found {
        Ballot promised = Ballot.NONE;
        long decided;
        long base;

        /** Null only before those of a group that was added are read. */
        @Nullable
        Seats seats;

        final List<Proposal> proposals = new ArrayList<>();

        @Nullable
        Departure departure;

        Found(@Nullable Seats seats) {
            this.seats = seats;
        }

        LogRecord record() {
            return new LogRecord(promised, base, Objects.requireNonNull(seats), decided, proposals, departure);
        }
    }

    /** The groups as they were founded: those of the settings, unless the store holds others. */
    private GeoGroups groups;

    private boolean isFoundedByOthers;

    /** By group: the store has the proposals after this slot, up to {@link #last}. */
    private final long[] forgotten = new long[GeoGroups.MAX];

    private final long[] last = new long[GeoGroups.MAX];

    /** The generation of the state that counts; a state of the other generation is staged. */
    private int generation;

    /** Whether the store may hold pieces of the other generation. */
    private boolean isStaged;

    /** Number of this store as a seat; 0 for one that is new. */
    private long seat;

    GeoStore(GeoGroups groups) {
        this.groups = groups;
    }

    /**
     * Returns bytes that identify the groups. Nodes with other groups in their settings take no messages of each
     * other.
     */
    static Slice encode(GeoGroups groups) {
        BinWriter out = new BinWriter(256);
        write(groups.nodes(), out);
        out.varint(groups.count());
        groups.founders().forEach(each -> write(each, out));
        return out.i32(groups.initial()).toSlice();
    }

    private static void write(List<NodeId> nodes, BinWriter out) {
        out.varint(nodes.size());
        nodes.forEach(out::node);
    }

    /**
     * Reads everything. A new store gets a number. It gets another number when it begins or ceases to be one that
     * forgets.
     *
     * @param forgets whether it may be an older image after a restart
     * @throws ConfigurationException if there are more or fewer groups than in an earlier boot
     */
    GeoRecord boot(EntryStore store, boolean forgets, Turn turn) {
        store.scanNow(key(GROUPS).toArray(), key(SEAT).toArray(), (key, value) -> {
            takeFounders(value);
            return true;
        });
        List<Found> logs = nothing();
        Slice[] head = {null};
        List<StatePiece> pieces = new ArrayList<>();
        store.scanNow(
                new byte[] {GeoPaxosProtocol.CHANNEL}, new byte[] {GeoPaxosProtocol.CHANNEL + 1}, (key, value) -> {
                    switch (key[1]) {
                        case GROUPS -> {}
                        case SEAT -> seat = new BinReader(value).i64();
                        case STATE -> {
                            BinReader in = new BinReader(value);
                            generation = in.u8();
                            head[0] = in.raw(in.remaining());
                        }
                        case PIECE -> found(key, value, pieces);
                        default -> {
                            while (logs.size() <= key[2]) {
                                logs.add(new Found(null));
                            }
                            found(logs.get(key[2]), key, new BinReader(value));
                        }
                    }
                    return true;
                });
        if (!Seat.isLike(seat, forgets)) {
            return reseat(forgets, turn);
        }
        for (int group = 0; group < logs.size(); group++) {
            forgotten[group] = logs.get(group).base;
            last[group] = forgotten[group] + logs.get(group).proposals.size();
        }
        dropStaged(turn);
        return record(head[0], pieces, logs, turn);
    }

    long seat() {
        return seat;
    }

    private List<Found> nothing() {
        List<Found> logs = new ArrayList<>();
        groups.founders()
                .forEach(each -> logs.add(new Found(LogRecord.empty(each).seats())));
        return logs;
    }

    /** The nodes of the settings may be others by now; who takes part is decided by the logs. */
    private void takeFounders(Slice stored) {
        BinReader in = new BinReader(stored);
        List<NodeId> nodes = read(in);
        List<List<NodeId>> founders = new ArrayList<>();
        for (int left = in.count(1, "groups"); left > 0; left--) {
            founders.add(read(in));
        }
        if (founders.size() != groups.count() || in.i32() != groups.initial()) {
            throw new ConfigurationException(
                    "there are " + groups.count()
                            + " groups of ordered maps in the settings, and there were " + founders.size()
                            + " in an earlier boot: that cannot be changed in the settings. Groups are added while the nodes run");
        }
        isFoundedByOthers = !stored.equals(encode(groups));
        groups = groups.founded(nodes, founders);
    }

    private static List<NodeId> read(BinReader in) {
        List<NodeId> nodes = new ArrayList<>();
        for (int left = in.count(1, "nodes"); left > 0; left--) {
            nodes.add(in.node());
        }
        return nodes;
    }

    /** Returns the groups as they were founded. */
    GeoGroups groups() {
        return groups;
    }

    /** Returns whether the settings name others. */
    boolean isFoundedByOthers() {
        return isFoundedByOthers;
    }

    private static void found(Found log, byte[] key, BinReader in) {
        switch (key[3]) {
            case PROMISED -> log.promised = Ballot.read(in);
            case DECIDED -> log.decided = in.varint();
            case BASE -> {
                log.base = in.varint();
                log.seats = Seats.read(in);
            }
            case DEPARTURE -> log.departure = Departure.read(in);
            default -> {
                long slot = new BinReader(new Slice(key, 4, 8)).i64();
                if (slot != log.base + log.proposals.size() + 1) {
                    throw new BrokenInvariantException("a proposal for slot " + slot + " behind " + log.proposals.size()
                            + " others after slot " + log.base);
                }
                log.proposals.add(Proposal.read(in));
            }
        }
    }

    private void found(byte[] key, Slice value, List<StatePiece> pieces) {
        BinReader in = new BinReader(new Slice(key, 2, key.length - 2));
        if (in.u8() == generation) {
            pieces.add(new StatePiece(StatePiece.Name.read(in), value));
        } else {
            isStaged = true;
        }
    }

    /** An emptied store does not know the incarnations of earlier boots, but they were earlier. See {@link io.georep.geopaxos.core.contact.Submissions#renew}. */
    private GeoRecord record(@Nullable Slice head, List<StatePiece> pieces, List<Found> logs, Turn turn) {
        List<LogRecord> records = logs.stream().map(Found::record).toList();
        return new GeoRecord(
                OpId.incarnation(turn.wallMillis(), turn.random().nextLong()), seat, head, pieces, records);
    }

    /** Makes this store another seat: nothing that it promised, accepted or took for decided counts any more. */
    GeoRecord reseat(boolean forgets, Turn turn) {
        seat = Seat.draw(turn.random(), forgets);
        turn.store()
                .deleteRange(new byte[] {GeoPaxosProtocol.CHANNEL}, new byte[] {GeoPaxosProtocol.CHANNEL, PIECE + 1});
        generation = 0;
        isStaged = false;
        put(key(GROUPS), encode(groups), turn);
        put(key(SEAT), new BinWriter(8).i64(seat).toSlice(), turn);
        Arrays.fill(forgotten, 0);
        Arrays.fill(last, 0);
        return record(null, List.of(), nothing(), turn);
    }

    private static BinWriter key(int kind) {
        return new BinWriter(12).u8(GeoPaxosProtocol.CHANNEL).u8(kind);
    }

    private static BinWriter key(int group, int what) {
        return key(LOG).u8(group).u8(what);
    }

    /**
     * All that is stored here must become durable. So messages that follow wait for that, and ask for no sync of their
     * own.
     */
    private static void put(BinWriter key, Slice value, Turn turn) {
        turn.store().put(key.toArray(), value);
        turn.store().requireDurable();
    }

    void promised(int group, Ballot ballot, Turn turn) {
        BinWriter out = new BinWriter(32);
        ballot.write(out);
        put(key(group, PROMISED), out.toSlice(), turn);
    }

    void proposal(int group, long slot, Proposal proposal, Turn turn) {
        last[group] = Math.max(last[group], slot);
        BinWriter out = new BinWriter(128);
        proposal.write(out);
        put(key(group, PROPOSAL).i64(slot), out.toSlice(), turn);
    }

    /** What was accepted after a slot is forgotten. */
    void drop(int group, long after, Turn turn) {
        for (long each = after + 1; each <= last[group]; each++) {
            turn.store().delete(key(group, PROPOSAL).i64(each).toArray());
        }
        last[group] = Math.min(last[group], after);
    }

    void departure(int group, Departure departure, Turn turn) {
        BinWriter out = new BinWriter(64);
        departure.write(out);
        put(key(group, DEPARTURE), out.toSlice(), turn);
    }

    void decided(int group, long slot, Turn turn) {
        put(key(group, DECIDED), new BinWriter(9).varint(slot).toSlice(), turn);
    }

    void base(int group, long slot, Seats seats, Turn turn) {
        BinWriter out = new BinWriter(64).varint(slot);
        seats.write(out);
        put(key(group, BASE), out.toSlice(), turn);
        for (long each = forgotten[group] + 1; each <= Math.min(last[group], slot); each++) {
            turn.store().delete(key(group, PROPOSAL).i64(each).toArray());
        }
        forgotten[group] = slot;
        last[group] = Math.max(last[group], slot);
    }

    private static BinWriter key(int generation, StatePiece.Name name) {
        return name.write(key(PIECE).u8(generation));
    }

    void piece(StatePiece.Name name, @Nullable Slice content, Turn turn) {
        if (content == null) {
            turn.store().delete(key(generation, name).toArray());
        } else {
            put(key(generation, name), content, turn);
        }
    }

    void head(Slice head, Turn turn) {
        put(
                key(STATE),
                new BinWriter(1 + head.length()).u8(generation).raw(head).toSlice(),
                turn);
    }

    void stage(StatePiece piece, Turn turn) {
        isStaged = true;
        put(key(1 - generation, piece.name()), piece.content(), turn);
    }

    void takeStaged(Turn turn) {
        generation = 1 - generation;
        isStaged = true;
        dropStaged(turn);
    }

    void dropStaged(Turn turn) {
        if (isStaged) {
            turn.store()
                    .deleteRange(
                            key(PIECE).u8(1 - generation).toArray(),
                            key(PIECE).u8(2 - generation).toArray());
        }
        isStaged = false;
    }
}
