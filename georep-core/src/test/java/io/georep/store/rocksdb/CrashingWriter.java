package io.georep.store.rocksdb;

import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Runs in a process of its own until that is killed: writes the workload on and prints what was reported durable. */
final class CrashingWriter implements EntryStore.Listener {
    private static final int WINDOW = 8;

    private final Semaphore window = new Semaphore(WINDOW);
    private final PrintStream out = System.out;
    private final int start;
    private long durable;

    private CrashingWriter(int start) {
        this.start = start;
    }

    static RocksDbStoreConfig config(Durability durability) {
        return RocksDbStoreConfig.builder(NodeId.of("a"), "test")
                .durability(durability)
                .memtableBytes(1 << 20)
                .memtableCountMax(3)
                .minFreeBytes(0)
                .build();
    }

    public static void main(String[] args) throws Exception {
        Workload workload = new Workload(20_000);
        RocksDbStore store = RocksDbStore.open(Path.of(args[0]), config(Durability.valueOf(args[1])));
        CrashingWriter writer = new CrashingWriter(workload.prefixIn(store));
        store.start(writer);
        for (int number = writer.start + 1; ; number++) {
            writer.window.acquire();
            store.submit(workload.batch(number));
        }
    }

    @Override
    public void durable(long batchNumber) {
        out.println(start + batchNumber);
        out.flush();
        window.release((int) (batchNumber - durable));
        durable = batchNumber;
    }

    @Override
    public void scanned(long token, List<EntryStore.Pair> pairs, boolean more) {}

    @Override
    public void full(boolean full) {}

    @Override
    public void failed(StoreException cause) {
        cause.printStackTrace();
        System.exit(1);
    }
}
