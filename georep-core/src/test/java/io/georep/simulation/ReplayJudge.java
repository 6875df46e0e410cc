package io.georep.simulation;

import io.georep.outbox.core.OutboxAudit;
import io.georep.spi.BootImage;

/** Compares now and then what a node knows with what it would know after reading its disk. */
final class ReplayJudge {
    /** Turns between two comparisons. If there is more to read than that, there are as many as there are pairs. */
    private static final int TURNS = 400;

    private final Host host;
    private int turnsLeft = TURNS;

    ReplayJudge(Host host) {
        this.host = host;
    }

    /** Called after each turn. */
    void turned() {
        SimulatedDisk disk = host.node().disk();
        if (--turnsLeft <= 0 && disk.synced() == disk.submitted()) {
            SimulatedDisk.Image image = disk.image();
            turnsLeft = Math.max(TURNS, image.pairs().size());
            OutboxAudit.assertReplays(host.protocol(), new BootImage<>(image.pairs(), SimulatedDisk.Value::bytes));
        }
    }
}
