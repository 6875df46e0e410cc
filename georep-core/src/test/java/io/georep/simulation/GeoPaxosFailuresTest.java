package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What becomes of GeoPaxos+ when something fails. */
class GeoPaxosFailuresTest extends GeoPaxosNodes {
    /** A lease has to end, and an election follows. */
    @Test
    void whenALeaderDiesItsGroupStandsStillForAboutALease() {
        result(submit(1, 7, 1, put("k", "<old>")));
        cluster.node(1).crash();
        long died = cluster.world().now();
        result(submit(2, 7, 2, put("k", "<new>")));
        assertThat(cluster.world().now() - died).isLessThan(3 * World.SECONDS);
        assertThat(read(3, "k")).isEqualTo("<new>");
    }

    private void othersGoOn() {
        cluster.pass(1);
        result(submit(2, 7, 2, put("k", "<two>")));
        result(submit(3, 7, 3, put("k", "<three>")));
        assertThat(read(2, "k")).isEqualTo("<three>");
    }

    @Test
    void aFullDiskOfTheLeaderHoldsUpNobodyElse() {
        result(submit(1, 7, 1, put("k", "<one>")));
        cluster.node(1).disk().full(true);
        othersGoOn();
        cluster.node(1).disk().full(false);
        assertThat(read(1, "k")).isEqualTo("<three>");
        restart(1, null, false);
        cluster.pass(5);
        assertThat(read(1, "k")).isEqualTo("<three>");
        statesAreEqual();
    }

    @Test
    void aDiskOfTheLeaderThatHangsHoldsUpNobodyElse() {
        result(submit(1, 7, 1, put("k", "<one>")));
        cluster.node(1).disk().hang(true, true);
        othersGoOn();
        cluster.node(1).disk().hang(false, false);
        assertThat(read(1, "k")).isEqualTo("<three>");
        cluster.pass(5);
        statesAreEqual();
    }

    /** Also over restarts: what it ordered meanwhile is not taken for later than what it orders afterwards. */
    @Test
    void aWallClockThatWasYearsAheadHarmsNothing() {
        result(submit(2, 7, 1, put("k", "<one>")));
        long years = 3L * 365 * 86_400_000;
        cluster.node(2).clock().step(years);
        restart(2, null, false);
        cluster.pass(2);
        result(submit(2, 7, 2, put("k", "<two>")));
        cluster.node(2).clock().step(-years);
        restart(2, null, false);
        cluster.pass(2);
        result(submit(2, 7, 3, put("k", "<three>")));
        assertThat(read(2, "k")).isEqualTo("<three>");
        cluster.pass(1);
        statesAreEqual();
    }
}
