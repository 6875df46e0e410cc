package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.ExecutedTable;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The nodes of the first group have no keys any more. While most of them are gone, no log is forgotten. */
class KeptBytesTest {
    private static final long SECOND = 1000 * GeoCluster.MILLI;
    private static final long MOST = 20_000;

    private final GeoCluster cluster =
            new GeoCluster(1, Rules::new, List.of(nodes("n4", "n5", "n6"), nodes("n1", "n2", "n3")));
    private final GeoMember contact = cluster.members.get(NodeId.of("n1"));
    private long calls;

    /** Between the numbers of the client. */
    private int step = 1;

    private static List<NodeId> nodes(String... names) {
        return Stream.of(names).map(NodeId::of).toList();
    }

    private boolean put() {
        long call = ++calls;
        put(call);
        return !contact.refused.containsKey(call);
    }

    private void put(long call) {
        Slice body = LeafService.use(call, List.of(), List.of(0));
        contact.turn(() -> contact.node.submit(call, 1, call * step, call * step - 1, body, contact.now()));
        long until = cluster.now + 2 * SECOND;
        while (!contact.refused.containsKey(call) && !cluster.answers.containsKey(call) && cluster.now < until) {
            cluster.run(10 * GeoCluster.MILLI);
        }
    }

    private long kept() {
        return GeoStatistics.of(contact.node, 0, false, contact.now()).kept();
    }

    private void keysGoToTheSecondGroup() {
        cluster.run(5 * SECOND);
        contact.turn(() -> contact.node.move(++calls, new long[] {LeafService.FIRST_LEAF}, 1, 2, contact.now()));
        cluster.run(SECOND);
        assertThat(contact.node.groupsOf(LeafService.FIRST_LEAF)).isEqualTo(2);
    }

    @Test
    void resultsThatNobodyNeedsAreForgottenAtOnce() {
        keysGoToTheSecondGroup();
        nodes("n4", "n5").forEach(name -> cluster.crash(cluster.members.get(name)));
        cluster.run(5 * SECOND);
        for (int i = 0; i < 50; i++) {
            assertThat(put()).isTrue();
        }
        ExecutedTable table = contact.node.executor().table();
        assertThat(table.pieces())
                .as("a client, its last result, and one run of all other numbers")
                .hasSize(3);
        assertThat(table.keptBytes()).isEqualTo(ExecutedTable.RUN_BYTES);
    }

    private GeoEvent refusal(long client, long call, long acked) {
        Slice body = LeafService.use(call, List.of(), List.of(0));
        return OpenRequests.full(new GeoCommand.Submit("call", client, call, acked, body), contact.node.executor());
    }

    /** All nodes keep the results. */
    @Test
    void aClientThatAcknowledgesNothingIsRefusedInTheEnd() {
        cluster.run(5 * SECOND);
        contact.node.rules().resultBytesMax = 1_000;
        while (refusal(1, calls + 1, 0) == null) {
            long call = ++calls;
            Slice body = LeafService.use(call, List.of(), List.of(0));
            contact.turn(() -> contact.node.submit(call, 1, call, 0, body, contact.now()));
            cluster.run(SECOND);
            assertThat(cluster.answers).containsKey(call);
            assertThat(calls).isLessThan(20);
        }
        assertThat(calls).isGreaterThan(3);
        assertThat(refusal(1, calls + 1, 0))
                .isInstanceOfSatisfying(
                        GeoEvent.Refused.class,
                        refused -> assertThat(refused.why())
                                .contains("client 1 has not acknowledged " + calls + " results"));
        assertThat(refusal(1, calls, 0)).as("it has its result").isNull();
        assertThat(refusal(2, 1, 0)).as("of another client").isNull();
        assertThat(refusal(1, calls + 1, 1)).as("acknowledges some").isNull();
        assertThat(contact.node.executor().table().unacknowledged(1, -1, 0))
                .as("it waits for an earlier one, and can acknowledge none before")
                .isZero();
        contact.crash();
        cluster.boot(contact);
        contact.node.rules().resultBytesMax = 1_000;
        cluster.run(5 * SECOND);
        assertThat(refusal(1, calls + 1, 0)).as("after a restart").isNotNull();
        assertThat(put()).as("acknowledges all").isTrue();
        assertThat(refusal(1, calls + 1, 0)).isNull();
    }

    /** What has no number is nobody's. */
    @Test
    void aClientOfNumberZeroThatAcknowledgesNothingHoldsUpNoOthers() {
        cluster.run(5 * SECOND);
        contact.node.rules().resultBytesMax = 1;
        long call = ++calls;
        Slice body = LeafService.use(call, List.of(), List.of(0));
        contact.turn(() -> contact.node.submit(call, 0, call, 0, body, contact.now()));
        cluster.run(SECOND);
        assertThat(refusal(0, call + 1, 0)).isNotNull();
        assertThat(OpenRequests.full(new GeoCommand.Submit("call", body), contact.node.executor()))
                .isNull();
    }

    @Test
    void whatWaitsToBeForgottenIsBoundedAndGoesOnceAllGroupsHaveLeaders() {
        keysGoToTheSecondGroup();
        step = 2;
        cluster.members.values().forEach(each -> {
            each.service.keptBytesMax = MOST;
            each.node.rules().runsMax = 10;
            each.node.rules().snapshotEvery = 16;
        });
        nodes("n5", "n6").forEach(name -> cluster.crash(cluster.members.get(name)));
        cluster.run(5 * SECOND);
        int puts = 0;
        while (put()) {
            assertThat(++puts).isLessThan(200);
        }
        assertThat(puts).isGreaterThan(20);
        assertThat(contact.refused.values()).containsOnly(GeoEvent.Reason.KEPT);
        assertThat(kept()).isBetween(MOST, MOST + 1000);

        long last = calls - 1;
        cluster.answers.remove(last);
        put(last);
        assertThat(cluster.answers)
                .as("what was executed before has its result")
                .containsKey(last);
        long read = ++calls;
        contact.turn(() -> contact.node.read(read, LeafService.use(read, List.of(0), List.of()), contact.now()));
        cluster.run(SECOND);
        assertThat(cluster.answers).containsKey(read);

        cluster.members.values().stream().filter(GeoMember::runs).forEach(GeoMember::crash);
        cluster.members.values().forEach(each -> {
            cluster.boot(each);
            each.service.keptBytesMax = MOST;
            each.node.rules().runsMax = 10;
        });
        cluster.run(15 * SECOND);
        boolean isTaken = put();
        assertThat(isTaken).as("%s bytes are kept, %s", kept(), contact.refused).isTrue();
        assertThat(kept()).isLessThan(MOST / 2);
    }
}
