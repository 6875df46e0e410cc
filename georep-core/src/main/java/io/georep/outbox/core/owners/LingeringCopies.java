package io.georep.outbox.core.owners;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.TableRound;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Copies that stay longer than entries usually live (6.8.7). A node that ends an entry tells the owners it knows of,
 * the origin repeats it with SETTLED, and restarted owners are asked. After several crashes, lost stores and moved
 * copies there may still be a copy that no other node knows of. So from time to time this node asks the owner for which
 * the copy waits. {@link Queries} handles the answer.
 */
public final class LingeringCopies {
    /** Ticks between two rounds. A copy is asked about in the second round it sees at the earliest. */
    private static final int ROUND_TICKS = 15;

    /** Most ranges of one custody asked about in one round: a long backlog is gone through piece by piece. */
    public static final int RANGES_MAX = 64;

    /**
     * How far a stream was examined.
     *
     * @param resumeAt where the next piece begins
     * @param newFrom copies from here on were made after the last round
     */
    private record Progress(long resumeAt, long newFrom) {
        static final Progress NONE = new Progress(0, 0);
    }

    /** Most streams examined in one tick: of many, each has its turn later. */
    public static final int TABLES_PER_TICK = 64;

    private final OutboxContext context;
    private final TableRound round;

    /** As the last round left it, and as this one does. */
    private Map<StreamTable, Progress> progress = new HashMap<>();

    private Map<StreamTable, Progress> next = new HashMap<>();
    private boolean underWay;
    private int ticks;

    LingeringCopies(OutboxContext context) {
        this.context = context;
        round = new TableRound(context.ledger, TABLES_PER_TICK);
    }

    /** Called about once a second. */
    void tick(Turn turn) {
        underWay |= ++ticks % ROUND_TICKS == 0;
        if (!underWay) {
            return;
        }
        List<StreamTable> some = round.next();
        for (StreamTable table : some) {
            next.put(table, examine(table, progress.getOrDefault(table, Progress.NONE), turn));
        }
        if (some.size() < TABLES_PER_TICK) {
            underWay = false;
            round.begin();
            progress = next;
            next = new HashMap<>();
        }
    }

    private Progress examine(StreamTable table, Progress before, Turn turn) {
        long last = -1;
        long cutAt = Long.MAX_VALUE;
        for (Custodies.Part part : table.parts()) {
            if (part.custody().state() == EntryState.COPY) {
                RangeList piece = part.members().firstRanges(before.resumeAt, before.newFrom, RANGES_MAX);
                askBlocker(table, part.custody(), piece, turn);
                last = Math.max(last, part.members().last());
                cutAt = piece.count() < RANGES_MAX ? cutAt : Math.min(cutAt, piece.to(RANGES_MAX - 1));
            }
        }
        return new Progress(cutAt == Long.MAX_VALUE ? 0 : cutAt, last + 1);
    }

    /** Asks the first owner in the order that is not given up, which these copies wait for, what became of them. */
    void askBlocker(StreamTable table, Custody custody, RangeList ranges, Turn turn) {
        NodeId blocker = ranges.isEmpty() ? null : blocker(custody, turn);
        if (blocker != null) {
            context.openQueries.ask(blocker, table, ranges);
        }
    }

    private @Nullable NodeId blocker(Custody custody, Turn turn) {
        for (NodeId owner : custody.order()) {
            if (owner.equals(context.self())) {
                return null;
            }
            Peer peer = turn.ensurePeer(owner);
            if (peer.state() != PeerState.TERMINATED && !peer.removed()) {
                return owner;
            }
        }
        return null;
    }
}
