package io.georep.funnel.core.keepers;

import io.georep.codec.BinReader;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.LogOutlet;
import io.georep.consensus.LogTiming;
import io.georep.consensus.Proposal;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.consensus.Seats;
import io.georep.funnel.core.keepers.MasterMessages.State;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The log of a keeper of views, with its records in the store of the node and its messages on the links of the maps. */
final class KeeperLog implements LogOutlet {
    /** Entries between two snapshots. */
    private static final int SNAPSHOT_EVERY = 256;

    private final NodeId self;
    private final List<NodeId> keepers;
    private final LogTiming timing;
    private final Machine machine;
    private final Outlet outlet;
    private final KeeperStore stored = new KeeperStore();

    /** Messages to itself. */
    private final Deque<LogMessage> own = new ArrayDeque<>();

    private @Nullable ReplicatedLog log;
    private Turn turn;

    /** Is told what the log decides. */
    interface Machine {
        /** The state begins anew, as given or empty. */
        void begin(@Nullable State base, Turn turn);

        /** A command is decided. */
        void apply(long slot, Slice command, Turn turn);

        /** Returns the state after the last command, as of a slot. */
        State state(long slot, Seats seats);
    }

    /** Where messages go. */
    public interface Outlet {
        /** Sends a message to another node, or to this one. */
        void send(NodeId to, int type, Slice body, Turn turn);
    }

    /** Reads the store. {@link #begin} follows. */
    KeeperLog(
            NodeId self,
            List<NodeId> keepers,
            LogTiming timing,
            Machine machine,
            Outlet outlet,
            EntryStore store,
            Turn turn) {
        this.self = self;
        this.keepers = keepers;
        this.timing = timing;
        this.machine = machine;
        this.outlet = outlet;
        this.turn = turn;
        stored.boot(store, keepers);
        if (stored.seat == 0) {
            stored.reseat(newSeat(turn), turn);
        }
    }

    private static long newSeat(Turn turn) {
        return Seat.draw(turn.random(), false);
    }

    /** Begins with what is stored. */
    ReplicatedLog begin(Turn given) {
        turn = given;
        own.clear();
        machine.begin(stored.base, given);
        ReplicatedLog begun =
                new ReplicatedLog(seat(), timing, stored.record(keepers), given.random(), this, given.now());
        log = begun;
        for (long slot = begun.base() + 1; slot <= begun.decided(); slot++) {
            onDecided(slot, begun.entry(slot));
        }
        return begun;
    }

    /** Begins anew on a new seat: what this store has promised, accepted and taken for decided is not to be believed any more. */
    ReplicatedLog reseat(Turn given) {
        stored.reseat(newSeat(given), given);
        return begin(given);
    }

    Seat seat() {
        return new Seat(self, stored.seat);
    }

    private ReplicatedLog log() {
        if (log == null) {
            throw new IllegalStateException("the log of " + self + " has not begun");
        }
        return log;
    }

    /** Takes a message of another keeper. */
    void onMessage(NodeId from, BinReader in, Turn given) {
        LogMessage message = LogMessage.read(in);
        in.requireEnd("a message");
        turn = given;
        log().onMessage(from, message, given.now());
    }

    /** Takes the state that another keeper has, if it is newer. */
    void onState(State state, Turn given) {
        turn = given;
        if (state.slot() > log().decided()) {
            machine.begin(state, given);
            log().install(state.slot(), state.seats());
        }
    }

    void endOfTurn(Turn given) {
        turn = given;
        takeOwn();
        log().endOfTurn(given.now());
        takeOwn();
        if (log().decided() - log().base() >= SNAPSHOT_EVERY) {
            log().forget(log().decided());
        }
    }

    private void takeOwn() {
        for (LogMessage message = own.poll(); message != null; message = own.poll()) {
            log().onMessage(self, message, turn.now());
        }
    }

    @Override
    public void send(NodeId to, LogMessage message) {
        if (to.equals(self)) {
            own.add(message);
        } else {
            outlet.send(to, MasterMessages.LOG, message.encode(), turn);
        }
    }

    @Override
    public void whenDurable(Runnable action) {
        ReplicatedLog present = log;
        turn.whenWritten(later -> {
            if (log == present) {
                turn = later;
                action.run();
            }
        });
    }

    @Override
    public void storePromise(Ballot promised) {
        stored.promised(promised, turn);
    }

    @Override
    public void storeProposal(long slot, Proposal proposal) {
        stored.proposal(slot, proposal, turn);
    }

    @Override
    public void storeDecided(long slot) {
        stored.decided(slot, turn);
    }

    @Override
    public void storeBase(long slot, Seats seats) {
        stored.base(machine.state(slot, seats), turn);
    }

    @Override
    public void onDecided(long slot, LogEntry entry) {
        if (entry.kind() == LogEntry.COMMAND) {
            machine.apply(slot, entry.body(), turn);
        }
    }

    @Override
    public void onBehind(NodeId member) {
        State state = machine.state(log().decided(), log().seats());
        outlet.send(member, MasterMessages.STATE, state.encode(), turn);
    }

    @Override
    public void onOtherLog(NodeId member) {
        // All keepers found the group together, also when the view is restored.
    }

    @Override
    public void onStoresLost(List<NodeId> voters, @Nullable NodeId elder) {
        // Operators hear that there is no master, and restore the view.
    }
}
