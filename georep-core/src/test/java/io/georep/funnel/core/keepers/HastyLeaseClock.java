package io.georep.funnel.core.keepers;

/** A planted mistake: the master waits for no lease. */
public final class HastyLeaseClock extends LeaseClock {
    /** Creates it, as the clock that waits. */
    public HastyLeaseClock(double rateError, long leaseNanos, long grantedNanos, long now) {
        super(rateError, leaseNanos, grantedNanos, now);
    }

    @Override
    long guard(long leaseNanos) {
        return Math.min(1, leaseNanos);
    }
}
