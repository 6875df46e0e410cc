package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Syncs of 100 are slow; a store is trusted again after a calm of 1000. */
class SyncPaceTest {
    private final SyncPace pace = new SyncPace(100, 1000);

    private boolean isSlowAfter(long... syncs) {
        boolean slow = pace.isSlow(0);
        for (long sync : syncs) {
            pace.passed(sync);
            pace.synced(sync);
            slow = pace.isSlow(0);
        }
        return slow;
    }

    /** Until it is trusted, by quick syncs of 10. */
    private int syncsUntilTrusted() {
        int syncs = 0;
        while (isSlowAfter(10)) {
            syncs++;
        }
        return syncs;
    }

    @Test
    void twoSlowSyncsInARowAreTooMany() {
        assertThat(isSlowAfter(100, 99, 500, 99)).isFalse();
        assertThat(isSlowAfter(100, 100)).isTrue();
    }

    @Test
    void theSecondNeedNotEnd() {
        assertThat(isSlowAfter(100)).isFalse();
        assertThat(pace.isSlow(99)).isFalse();
        assertThat(pace.isSlow(100)).isTrue();
    }

    @Test
    void isTrustedAgainAfterACalmInWhichItSynced() {
        isSlowAfter(100, 100);
        pace.passed(5000);
        assertThat(pace.isSlow(0)).as("nothing was synced").isTrue();

        assertThat(isSlowAfter(10)).isFalse();
    }

    @Test
    void aSlowSyncBeginsTheCalmAnew() {
        isSlowAfter(100, 100);
        pace.passed(900);
        assertThat(isSlowAfter(100)).isTrue();
        assertThat(syncsUntilTrusted()).isEqualTo(99);
    }

    @Test
    void theCalmDoublesWithEachRelapseUntilItWasTrustedForLong() {
        int[] expected = {99, 199, 399, 799, 1599, 1599};
        for (int calm : expected) {
            assertThat(isSlowAfter(100, 100)).isTrue();
            assertThat(syncsUntilTrusted()).isEqualTo(calm);
        }
        pace.passed(1_000_000);
        isSlowAfter(100, 100);
        assertThat(syncsUntilTrusted()).isEqualTo(99);
    }

    @Test
    void asksForSyncsWhileItIsSlow() {
        assertThat(pace.wantsSync()).isFalse();
        isSlowAfter(100, 100);
        assertThat(pace.wantsSync()).isTrue();
        assertThat(pace.wantsSync()).isFalse();
        pace.passed(100);
        assertThat(pace.wantsSync()).isTrue();
    }
}
