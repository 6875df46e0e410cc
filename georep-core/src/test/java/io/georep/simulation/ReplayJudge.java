package io.georep.simulation;

import io.georep.outbox.core.OutboxAudit;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.Map;

/** Compares now and then what a node knows with what it would know after reading its disk. */
final class ReplayJudge {
    /** Turns between two comparisons. */
    private static final int TURNS = 200;

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
            OutboxAudit.assertReplays(host.outbox(), store(disk.image()));
        }
    }

    private static EntryStore store(SimulatedDisk.Image image) {
        return new EntryStore() {
            @Override
            public void scanNow(byte[] from, byte[] to, Visitor visitor) {
                for (Map.Entry<byte[], SimulatedDisk.Value> pair :
                        image.pairs().subMap(from, to).entrySet()) {
                    if (!visitor.pair(pair.getKey(), pair.getValue().bytes())) {
                        return;
                    }
                }
            }

            @Override
            public void start(Listener listener) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void submit(StoreBatch submitted) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void close() {}
        };
    }
}
