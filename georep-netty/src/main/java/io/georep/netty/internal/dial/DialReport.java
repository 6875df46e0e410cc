package io.georep.netty.internal.dial;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.event.Level;

/**
 * Decides at which level a missing link is logged. Nodes start one after the other and leave on purpose, so a first
 * failure deserves no warning; and a node that was linked and is lost is reported as a change of its state. A warning
 * is for a refusal, and for an address where nobody has been found for a while. Confined to the control loop.
 */
final class DialReport {
    /** How long an address that never answered may be silent before the log warns. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int REASONS_MAX = 8;

    private final Set<String> told = new HashSet<>();
    private final Set<String> warned = new HashSet<>();
    private boolean everLinked;
    private boolean failing;
    private long failingSinceNanos;

    /** Called when there is a link: later problems are new ones. */
    void linked() {
        everLinked = true;
        failing = false;
        told.clear();
        warned.clear();
    }

    /** Returns the level for a refusal by either side. */
    Level refused(String reason) {
        return warned.size() < REASONS_MAX && warned.add(reason) ? Level.WARN : Level.DEBUG;
    }

    /** Returns the level for an attempt that failed although the other side refused nothing. */
    Level failed(String reason, long nowNanos) {
        if (!failing) {
            failing = true;
            failingSinceNanos = nowNanos;
        }
        boolean isNew = told.size() < REASONS_MAX && told.add(reason);
        if (!everLinked && nowNanos - failingSinceNanos >= PATIENCE_NANOS && refused(reason) == Level.WARN) {
            return Level.WARN;
        }
        return isNew ? Level.INFO : Level.DEBUG;
    }
}
