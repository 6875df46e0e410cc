package io.georep.funnel.core.keepers;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogRecord;
import io.georep.consensus.Proposal;
import io.georep.consensus.Seat;
import io.georep.funnel.core.keepers.MasterMessages.State;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a keeper of views has in its store.
 *
 * <pre>
 * 04 'M' 0         number of this store as a seat of the log: i64
 * 04 'M' 1         promised: ballot
 * 04 'M' 2         varint last slot that is known to be decided
 * 04 'M' 3         state at the base of the log, see STATE
 * 04 'M' 4 i64     proposal for a slot after the base
 * </pre>
 */
public final class KeeperStore {
    private static final int SEAT = 0;
    private static final int PROMISED = 1;
    private static final int DECIDED = 2;
    private static final int BASE = 3;
    private static final int PROPOSAL = 4;

    /** Number of this store as a seat; 0 for one that is new. */
    long seat;

    /** What the log begins with; null for nothing. */
    @Nullable
    State base;

    private Ballot promised = Ballot.NONE;
    private long decided;
    private final List<Proposal> proposals = new ArrayList<>();

    /** Proposals of slots up to there are not in the store. */
    private long forgotten;

    private long last;

    /**
     * Reads all.
     *
     * @throws ConfigurationException if the nodes that keep views are others than those that founded the group
     */
    public void boot(EntryStore store, List<NodeId> keepers) {
        store.scanNow(FunnelLayout.first('M'), FunnelLayout.behind('M'), (key, value) -> {
            BinReader in = new BinReader(value);
            switch (key[FunnelLayout.PREFIX_BYTES]) {
                case SEAT -> seat = in.i64();
                case PROMISED -> promised = Ballot.read(in);
                case DECIDED -> decided = in.varint();
                case BASE -> base = State.read(in);
                default -> proposals.add(Proposal.read(in));
            }
            return true;
        });
        State first = base;
        forgotten = first == null ? 0 : first.slot();
        last = forgotten + proposals.size();
        List<NodeId> seated =
                record(keepers).seatsNow().list().stream().map(Seat::node).toList();
        if (!Set.copyOf(seated).equals(Set.copyOf(keepers))) {
            throw new ConfigurationException("the keepers of the views of replicated maps are set to " + keepers
                    + ", but by the store of this node they are " + seated
                    + ", and the list cannot be changed: set it to "
                    + seated
                    + " on all nodes. To replace the machine of a keeper, start the new one with the same name");
        }
    }

    /** Returns what the log begins with. */
    LogRecord record(List<NodeId> keepers) {
        LogRecord empty = LogRecord.empty(keepers);
        State first = base;
        return first == null
                ? new LogRecord(promised, 0, empty.seats(), decided, proposals)
                : new LogRecord(promised, first.slot(), first.seats(), decided, proposals);
    }

    /** Makes this store another seat: what the former one promised or accepted does not count any more. */
    void reseat(long number, Turn turn) {
        seat = number;
        promised = Ballot.NONE;
        turn.store().deleteRange(FunnelLayout.first('M'), FunnelLayout.behind('M'));
        put(SEAT, new BinWriter(8).i64(number).toSlice(), turn);
        base = null;
        decided = 0;
        proposals.clear();
        forgotten = 0;
        last = 0;
    }

    private static void put(int kind, Slice value, Turn turn) {
        put(place(kind), value, turn);
    }

    /** Asks for durability of everything that is stored, so that later messages wait for it and need no sync of their own. */
    private static void put(BinWriter place, Slice value, Turn turn) {
        turn.store().put(place.toArray(), value);
        turn.store().requireDurable();
    }

    private static BinWriter place(int kind) {
        return new BinWriter(12).u8(FunnelLayout.CHANNEL).u8('M').u8(kind);
    }

    void promised(Ballot ballot, Turn turn) {
        BinWriter out = new BinWriter(32);
        ballot.write(out);
        put(PROMISED, out.toSlice(), turn);
    }

    void proposal(long slot, Proposal proposal, Turn turn) {
        last = Math.max(last, slot);
        BinWriter out = new BinWriter(128);
        proposal.write(out);
        put(place(PROPOSAL).i64(slot), out.toSlice(), turn);
    }

    void decided(long slot, Turn turn) {
        put(DECIDED, new BinWriter(9).varint(slot).toSlice(), turn);
    }

    /** The log begins after this state. */
    void base(State state, Turn turn) {
        base = state;
        StoreBatch batch = turn.store();
        put(BASE, state.encode(), turn);
        for (long slot = forgotten + 1; slot <= Math.min(last, state.slot()); slot++) {
            batch.delete(place(PROPOSAL).i64(slot).toArray());
        }
        forgotten = state.slot();
        last = Math.max(last, forgotten);
    }
}
