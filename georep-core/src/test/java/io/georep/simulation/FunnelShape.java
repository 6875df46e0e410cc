package io.georep.simulation;

import io.georep.funnel.FunnelSettings;
import java.time.Duration;

/**
 * What the maps of a cluster are like.
 *
 * @param founders how many of the nodes are in the first view
 * @param steps whether wall clocks are stepped
 * @param flaw a mistake that is put in, to see that it is noticed
 * @param keepers so many of the founders keep the views, 0 for a master that is played
 * @param isVolatile whether a crash may take away everything, so that no node waits for its store
 */
record FunnelShape(int founders, FunnelSettings settings, boolean steps, Flaw flaw, boolean isVolatile, int keepers) {
    static final long LEASE = World.SECONDS;

    /** A mistake outside the protocol. */
    enum Flaw {
        NONE,
        /** Readers do not look at the lease. */
        READS_WITHOUT_LEASE,
        /** The master makes views without those whose lease has not ended. */
        HASTY_MASTER,
        /** A leader is believed though more than half of the peers do not say that they are in its term. */
        ONE_PEER_IS_ENOUGH,
        /** Repetitions have new numbers. */
        NEW_OPERATION_NUMBERS
    }

    /** All times of the map are so many times as long as a run of seconds asks for. */
    static FunnelShape of(int founders, int slower) {
        FunnelSettings d = FunnelSettings.defaults();
        FunnelSettings quick = new FunnelSettings(
                1_000,
                16L << 20,
                1 << 20,
                200,
                20,
                100,
                Duration.ofNanos(LEASE).multipliedBy(slower),
                d.clockRateError(),
                Duration.ofSeconds(slower),
                Duration.ofSeconds(4L * slower),
                Duration.ofSeconds(2L * slower),
                Duration.ofMillis(200L * slower),
                12_500_000);
        return new FunnelShape(founders, quick, false, Flaw.NONE, false, 0);
    }

    FunnelShape settings(FunnelSettings other) {
        return new FunnelShape(founders, other, steps, flaw, isVolatile, keepers);
    }

    FunnelShape stepping(boolean doStep) {
        return new FunnelShape(founders, settings, doStep, flaw, isVolatile, keepers);
    }

    FunnelShape flaw(Flaw other) {
        return new FunnelShape(founders, settings, steps, other, isVolatile, keepers);
    }

    FunnelShape isVolatile(boolean losesAll) {
        return new FunnelShape(founders, settings, steps, flaw, losesAll, keepers);
    }

    FunnelShape keepers(int count) {
        return new FunnelShape(founders, settings, steps, flaw, isVolatile, count);
    }
}
