package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogRecord;
import io.georep.consensus.LogTiming;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seat;
import io.georep.geopaxos.core.Contact.Call;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What reads that wait leave behind. */
class LeasedReadsTest {
    private static final NodeId SELF = NodeId.of("n1");
    private static final long PATIENCE = 100;

    private final GeoGroups groups = new GeoGroups(
            List.of(SELF), List.of(List.of(SELF)), 1, node -> 0, new LogTiming(1, 10, 1, 30));

    /** This node has the lease, and something is ahead that is not executed, for want of a group that is dead. */
    private final Rules rules = new Rules() {
        @Override
        boolean hasLease(ReplicatedLog log, long now) {
            return true;
        }

        @Override
        Pending ahead(Lane lane, Footprint footprint, Uses uses) {
            return stuck;
        }
    };

    private final Executor executor =
            new Executor(1, 1, new LeafService(), rules, (operation, timestamp, outcome, result) -> {});
    private final List<Call> ordered = new ArrayList<>();
    private final List<Long> answered = new ArrayList<>();
    private final GeoOutlet outlet = (GeoOutlet) Proxy.newProxyInstance(
            GeoOutlet.class.getClassLoader(), new Class<?>[] {GeoOutlet.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("answered")) {
                    answered.add((Long) arguments[0]);
                }
                return null;
            });
    private final GroupLog.Host host = (GroupLog.Host) Proxy.newProxyInstance(
            GroupLog.Host.class.getClassLoader(), new Class<?>[] {GroupLog.Host.class}, (proxy, method, args) -> null);
    private final GroupLog log = new GroupLog(
            0, new Seat(SELF, 7), groups, LogRecord.empty(List.of(SELF)), new Random(1), host, outlet, 0);
    private final LeasedReads reads = new LeasedReads(executor, List.of(log), rules, outlet, ordered::add, uses -> {});
    private Pending stuck = pending();

    private static Pending pending() {
        Slice body = LeafService.use(1, List.of(), List.of(5));
        Operation operation = new Operation(new OpId(SELF, 1, 1), 1, Operation.SERVICE, 9, 1, 0, 1, body);
        return new Pending(operation, new LeafService().footprint(body), 1);
    }

    private static Call read(long token) {
        return new Call(token, Operation.READ, 0, 0, 0, 0, LeafService.use(token, List.of(5), List.of()));
    }

    @Test
    void aReadThatHasWaitedForLongIsOrderedAndLeavesNothing() {
        for (int i = 0; i < 100; i++) {
            reads.read(read(i), i);
        }
        assertThat(reads.behind()).isEqualTo(100);

        reads.retry(PATIENCE, PATIENCE + 49);

        assertThat(ordered).hasSize(50);
        assertThat(reads.behind()).as("those that wait on").isEqualTo(50);
        OpId id = stuck.operation.id();
        stuck = null;
        reads.executed(id);
        reads.retry(PATIENCE, PATIENCE + 50);
        assertThat(answered).hasSize(50).first().isEqualTo(50L);
        assertThat(reads.behind()).isZero();
        reads.retry(PATIENCE, 10 * PATIENCE);
        assertThat(ordered).hasSize(50);
    }
}
