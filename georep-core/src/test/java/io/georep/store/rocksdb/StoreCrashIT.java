package io.georep.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.ChildJvm;
import io.georep.model.Durability;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real processes, really killed. */
class StoreCrashIT {
    private static final int KILLS = 3;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(names = {"FSYNC", "OS"})
    void keepsEveryCompletedBatchWhenTheProcessIsKilled(Durability durability) throws Exception {
        Random random = new Random(durability.ordinal());
        int reached = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            int promised = runAndKill(durability, 20 + random.nextInt(200));

            try (RocksDbStore store = RocksDbStore.open(directory, CrashingWriter.config(durability))) {
                int found = new Workload(20_000).prefixIn(store);
                assertThat(found).isGreaterThanOrEqualTo(promised).isGreaterThan(reached);
                reached = found;
            }
        }
    }

    /** Lets a process write until it reported so many completions; returns the last batch it reported at all. */
    private int runAndKill(Durability durability, int completions) throws Exception {
        int promised = 0;
        try (ChildJvm child = new ChildJvm(128, CrashingWriter.class, directory.toString(), durability.name())) {
            for (int i = 0; i < completions; i++) {
                promised = Integer.parseInt(child.line());
            }
            // A line cut off by the kill reads as a smaller number.
            for (String line : child.kill()) {
                promised = Math.max(promised, Integer.parseInt(line));
            }
        }
        return promised;
    }
}
