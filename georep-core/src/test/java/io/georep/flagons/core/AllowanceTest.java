package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How much a node does for others. */
class AllowanceTest {
    private static final String PEER = "a:1";

    private final Allowance allowance = new Allowance();

    /** Wherever the clock of the machine began. */
    @Test
    void whoHasHadTooMuchWaitsUntilThatIsMadeUpFor() {
        for (long origin : new long[] {-1_000_000_000_000L, 0, 1_000_000_000_000L}) {
            String peer = PEER + origin;
            allowance.spent(peer, Allowance.OWED_MAX - 1, origin);
            assertThat(allowance.has(peer, origin)).isTrue();
            allowance.spent(peer, Allowance.OWED_MAX, origin);
            assertThat(allowance.has(peer, origin + 3_000)).isFalse();
            assertThat(allowance.has(peer, origin + 5_000)).isTrue();
        }
    }

    @Test
    void oneThatWaitsDoesNotKeepOthersWaitingAndFewAreRemembered() {
        allowance.spent(PEER, 2 * Allowance.OWED_MAX, 0);
        assertThat(allowance.has(PEER, 0)).isFalse();
        assertThat(allowance.has("b:1", 0)).isTrue();
        for (int i = 0; i < 256; i++) {
            allowance.spent("n" + i, 1, 0);
        }
        assertThat(allowance.has(PEER, 0)).as("forgotten").isTrue();
    }
}
