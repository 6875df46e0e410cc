package io.georep.store.rocksdb;

import io.georep.model.NodeId;
import java.nio.file.Path;

/** Runs in a process of its own: opens a store, says so, and keeps it open until killed. */
final class HoldingProcess {
    private HoldingProcess() {}

    public static void main(String[] args) throws Exception {
        RocksDbStore store = RocksDbStore.open(
                Path.of(args[0]),
                RocksDbStoreConfig.builder(NodeId.of("a"), "test").build());
        System.out.println(store);
        System.out.flush();
        System.in.read();
    }
}
