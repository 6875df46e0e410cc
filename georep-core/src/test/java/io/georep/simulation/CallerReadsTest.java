package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.GeoAudit;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.model.Slice;
import org.junit.jupiter.api.Test;

/** Reads on threads beside the driver's, which look at a clock themselves. */
class CallerReadsTest extends GeoPaxosNodes {
    /** What it reads; null if it may not. */
    private MapResult look(int node) {
        Slice read = GeoAudit.read(cluster.node(node), bytes("k"));
        return read == null ? null : MapResult.decode(read);
    }

    private static MapResult value(String value) {
        return new MapResult.Value(value == null ? null : bytes(value));
    }

    @Test
    void theLeaderOfTheGroupReads() {
        assertThat(look(1)).isEqualTo(value(null));
        result(submit(2, 7, 1, put("k", "<v>")));
        assertThat(look(1)).as("the contact is the first to know").isNull();
        cluster.pass(1);
        assertThat(look(1)).isEqualTo(value("<v>"));
        assertThat(look(2)).isNull();
    }

    @Test
    void onlyWhoLeadsTheGroupToWhichItMovedReads() {
        result(submit(1, 7, 1, put("k", "<old>")));
        cluster.node(1).command(5, new GeoCommand.Give(token(), new long[] {FIRST_LEAF}, 0b001, 0b010));
        cluster.pass(1);
        result(submit(2, 7, 2, put("k", "<new>")));
        assertThat(look(2)).isEqualTo(value("<new>"));
        assertThat(look(1)).isNull();
    }

    /** Its driver hangs, and knows nothing of what others have decided since. */
    @Test
    void nobodyReadsWhenTheLeaseIsOver() {
        result(submit(1, 7, 1, put("k", "<old>")));
        cluster.node(1).pause();
        result(submit(2, 7, 2, put("k", "<new>")));
        assertThat(look(1)).isNull();
        cluster.node(1).resume();
        cluster.pass(10);
        assertThat(look(1)).isEqualTo(value("<new>"));
    }

    /** The clock by which the lease ends stood still, and the driver has not had a turn since. */
    @Test
    void nobodyReadsAfterTheMachineWasSuspended() {
        result(submit(1, 7, 1, put("k", "<old>")));
        cluster.node(1).suspend(false);
        cluster.pass(6);
        result(submit(2, 7, 2, put("k", "<new>")));
        cluster.node(1).resume();
        assertThat(look(1)).isNull();
    }
}
