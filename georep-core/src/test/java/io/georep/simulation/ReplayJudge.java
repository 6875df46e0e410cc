package io.georep.simulation;

import io.georep.outbox.core.OutboxAudit;
import io.georep.spi.BootImage;

/** Compares now and then what a node knows with what it would know after reading its disk. */
final class ReplayJudge {
    /** Turns between two comparisons. */
    private static final int TURNS = 400;

    private final Host host;
    private int turns;

    ReplayJudge(Host host) {
        this.host = host;
    }

    /** Called after each turn. */
    void turned() {
        SimulatedDisk disk = host.node().disk();
        if (++turns >= TURNS && disk.synced() == disk.submitted()) {
            turns = 0;
            OutboxAudit.assertReplays(
                    host.protocol(), new BootImage<>(disk.image().pairs(), SimulatedDisk.Value::bytes));
        }
    }
}
