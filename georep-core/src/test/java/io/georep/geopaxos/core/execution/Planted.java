package io.georep.geopaxos.core.execution;

import io.georep.consensus.ReplicatedLog;
import io.georep.geopaxos.core.messages.Move;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** Errors that the judges must notice: each breaks one rule. */
public enum Planted {
    /** A6: executed as soon as the timestamp is final. */
    NO_BARRIER(() -> new Rules() {
        @Override
        public boolean hasPassed(Pending pending, GroupState[] groupStates) {
            return true;
        }
    }),
    /** M3: the clocks have passed it, but leased reads look for a SYNC of its own. */
    BEFORE_ITS_SYNC(() -> new Rules() {
        @Override
        public boolean hasPassed(Pending pending, GroupState[] groupStates) {
            int synced = pending.synced;
            pending.synced = pending.operation.groups();
            boolean passed = super.hasPassed(pending, groupStates);
            pending.synced = synced;
            return passed;
        }
    }),
    /** S4(b) left out. */
    NO_ORDER(() -> new Rules() {
        @Override
        public boolean waits(Pending each, Pending earlier) {
            return false;
        }
    }),
    /** M10: a MOVE is no write of its objects. */
    MOVES_PASS(() -> new Rules() {
        @Override
        public boolean waits(Pending each, Pending earlier) {
            return each.operation.kind() != Operation.MOVE && earlier.operation.kind() != Operation.MOVE;
        }
    }),
    /** A node of a lost majority that is back goes on with the log that the others have left. */
    VOTES_ON_WHEN_LEFT(() -> new Rules() {
        @Override
        public boolean leaves() {
            return false;
        }
    }),
    /** M10: a MOVE takes effect wherever its objects are. */
    MOVES_FROM_ANYWHERE(() -> new Rules() {
        @Override
        public boolean moves(Move move, int present) {
            return true;
        }
    }),
    /** M9, too far: a split meets nothing. */
    SPLITS_PASS(() -> new Rules() {
        @Override
        public boolean waits(Pending each, Pending earlier) {
            boolean isMove = each.operation.kind() == Operation.MOVE || earlier.operation.kind() == Operation.MOVE;
            return each.footprint.meets(earlier.footprint) || isMove;
        }
    }),
    /** M9, too far: what an operation uses in the present state is taken for all that it will use. */
    PRESENT_OBJECTS_ONLY(() -> new Rules() {
        @Override
        public boolean waits(Pending each, Pending earlier) {
            return !(each.footprint.everything() || earlier.footprint.everything());
        }
    }),
    /** Its object was split off, and moved to its groups, but here the split is not known yet. */
    UNCOVERED_TOO_EARLY(() -> new Rules() {
        @Override
        public boolean waitsUncovered() {
            return false;
        }
    }),
    NO_COVERAGE_TEST(() -> new Rules() {
        @Override
        public boolean covers(int groups, int ofObject, boolean write) {
            return true;
        }
    }),
    /** A3: the group that must have ordered a read is one near the node that executes it, and not any. */
    COVERED_BY_OWN_GROUP(() -> new Rules() {
        private final int own = nodes++ % 3;

        @Override
        public boolean covers(int groups, int ofObject, boolean write) {
            boolean isNear = (ofObject >> own & 1) != 0;
            return super.covers(groups, !write && isNear ? 1 << own : ofObject, write);
        }
    }),
    /** One of the groups of an object is enough for a write. */
    WRITES_LIKE_READS(() -> new Rules() {
        @Override
        public boolean covers(int groups, int ofObject, boolean write) {
            return (groups & ofObject) != 0;
        }
    }),
    NO_TABLE(() -> new Rules() {
        @Override
        public boolean wasExecuted(Operation operation, ExecutedTable table) {
            return false;
        }
    }),
    /** M6: whoever has executed a later operation of the client has executed this one. */
    WATERMARK(() -> new Rules() {
        @Override
        public boolean wasExecuted(Operation operation, ExecutedTable table) {
            return super.wasExecuted(operation, table)
                    || table.result(operation.client(), operation.sequence() + 1) != null;
        }
    }),
    /** M6: what comes no more in one group counts as executed, while another one may order it. */
    ENDS_IN_ONE_GROUP(() -> new Rules() {
        @Override
        long endsEverywhere(long[] marks, int groups) {
            return LongStream.of(marks).max().orElse(0);
        }
    }),
    /** The groups are asked for what a client asks for at once, whatever meets. */
    OVERTAKES_ITS_CLIENT(() -> new Rules() {
        @Override
        public boolean follows(Footprint later, Footprint earlier) {
            return false;
        }
    }),
    /** M5: two contacts use the same id for attempts with different groups. */
    ID_WITHOUT_CONTACT(() -> new Rules() {
        private final Map<Long, Integer> attempts = new HashMap<>();

        @Override
        public OpId id(OpId next, long client, long sequence) {
            if (client == 0) {
                return next;
            }
            long name = client << 32 | sequence;
            return new OpId(NodeId.of("client"), client, sequence * 100 + attempts.merge(name, 1, Integer::sum));
        }
    }),
    /** M5: two boots with slow clocks take the same incarnation after that of a fast one, and one gets what the other asked for. */
    NEXT_INCARNATION(() -> new Rules() {
        @Override
        public long later(long last, long random) {
            return last + 1;
        }

        @Override
        public boolean isAsked(Operation asked, Operation executed) {
            return true;
        }
    }),
    /** M16: a state says how far those logs were processed that were there in the beginning. */
    STATE_WITHOUT_ADDED_GROUPS(() -> new Rules() {
        @Override
        public GroupState added(GroupState groupState) {
            return new GroupState();
        }
    }),
    /** M7: an attempt that is still under way is said to be everywhere. */
    FLOOR_TOO_HIGH(() -> new Rules() {
        @Override
        public long low(long lowestOpen, long number) {
            return number;
        }
    }),
    /** M16: what waits is left out. */
    SNAPSHOT_IS_NO_CUT(() -> new Rules() {
        @Override
        public boolean keepsWaiting() {
            return false;
        }
    }),
    /** A piece of the state is stored when it comes into being, and not when it changes. */
    STALE_PIECES(() -> new Rules() {
        private final Set<StatePiece.Name> stored = new HashSet<>();

        @Override
        public boolean stores(StatePiece.Name name) {
            return stored.add(name);
        }
    }),
    /** Two nodes can each have forgotten what the other one lacks. */
    FORGETS_ALONE(() -> new Rules() {
        @Override
        public List<Long> forgettable(List<Long> agreed, List<Long> last) {
            return last;
        }
    }),
    /** L1: it ends when another leader is heard of. */
    LEASE_WITHOUT_END(() -> new Rules() {
        private final Map<ReplicatedLog, NodeId> leased = new HashMap<>();

        @Override
        public boolean hasLease(ReplicatedLog log, long now) {
            NodeId leader = log.leader(now);
            if (log.hasLease(now)) {
                leased.put(log, leader);
            } else if (leader != null && !leader.equals(leased.get(log))) {
                leased.remove(log);
            }
            return leased.containsKey(log);
        }
    }),
    /** L3 left out. */
    READS_PASS_WRITES(() -> new Rules() {
        @Override
        public Pending ahead(GroupState groupState, Footprint footprint, Uses uses, Predicate<Pending> concerned) {
            return null;
        }
    }),
    /** L3: a leader knows first what it has proposed. */
    READS_PASS_PROPOSALS(() -> new Rules() {
        @Override
        public long until(InFlight proposed, Footprint footprint, Uses uses, GroupState groupState) {
            return 0;
        }
    }),
    /** L1: for other nodes a leader reads without a lease. */
    ANSWERS_WITHOUT_LEASE(() -> new Rules() {
        @Override
        public boolean hasLeaseForOthers(ReplicatedLog log, long now) {
            return log.leads();
        }
    }),
    /** For other nodes the leader of any group reads. */
    ANSWERS_FROM_ELSEWHERE(() -> new Rules() {
        @Override
        public int readersForOthers(Uses uses, Placement placement) {
            return -1;
        }
    }),
    /** L1: the driver looks whether there is a lease, and readers on other threads do not. */
    CALLERS_TRUST_THE_LAST_TURN(() -> new Rules() {
        @Override
        public boolean isOver(long end, long now) {
            return false;
        }
    }),
    /** L3 left out for readers on other threads. */
    CALLERS_PASS_WRITES(() -> new Rules() {
        @Override
        public Ripe.Held held(GroupState groupState) {
            return null;
        }
    }),
    /** L3: the same for readers on other threads. */
    CALLERS_PASS_PROPOSALS(() -> new Rules() {
        @Override
        public boolean isInFlight(InFlight proposed, long key, long object, long processed) {
            return false;
        }
    }),
    /** Reads by the leader of any group. */
    READ_ELSEWHERE(() -> new Rules() {
        @Override
        public int readers(Uses uses, Placement placement) {
            return -1;
        }
    }),
    /** Reads of several objects by the leader of a group of one of them. */
    READ_IN_PART(() -> new Rules() {
        @Override
        public int readers(Uses uses, Placement placement) {
            int any = 0;
            for (long object : uses.objects().keySet()) {
                any |= placement.of(object);
            }
            return any;
        }
    });

    /** With one such error. */
    private static int nodes;

    public final Supplier<Rules> rules;

    Planted(Supplier<Rules> rules) {
        this.rules = rules;
    }
}
