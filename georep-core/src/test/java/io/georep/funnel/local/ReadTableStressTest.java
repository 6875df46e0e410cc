package io.georep.funnel.local;

import static io.georep.funnel.local.ReadTableTest.anHour;
import static io.georep.funnel.local.ReadTableTest.key;
import static io.georep.funnel.local.ReadTableTest.number;
import static io.georep.funnel.local.ReadTableTest.value;

import io.georep.funnel.core.ReadLease;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many readers while the driver changes what they see. */
@Timeout(60)
class ReadTableStressTest {
    /** Reads keys until it is stopped, and complains of a value that is older than what was completed before. */
    private static final class StressReader {
        static final int KEYS = 4;

        final ReadTable table;
        final AtomicLong[] completed;
        final AtomicBoolean stop;
        final AtomicLong known;
        final CompletableFuture<Void> end = new CompletableFuture<>();
        private final ReadTable.ReadCell[] cells = new ReadTable.ReadCell[KEYS];

        StressReader(ReadTable table, AtomicLong[] completed, AtomicBoolean stop, AtomicLong known) {
            this.table = table;
            this.completed = completed;
            this.stop = stop;
            this.known = known;
        }

        void run() {
            try {
                for (int i = 0; !stop.get(); i = (i + 1) % KEYS) {
                    read(i);
                    table.cell(key(100 + i)); // pushes out cells of keys without value
                }
                end.complete(null);
            } catch (Throwable e) {
                end.completeExceptionally(e);
            }
        }

        private void read(int i) {
            long least = completed[i].get();
            if (cells[i] == null) {
                cells[i] = table.cell(key(i));
            }
            Slice state = table.read(cells[i]);
            if (state == ReadTable.GONE) {
                cells[i] = null;
            } else if (state == ReadTable.ABSENT) {
                // Every tenth write removes the key.
                long most = completed[i].get() + 1;
                if (least / 10 == most / 10 && least % 10 != 0) {
                    throw new AssertionError("nothing, after " + least + " and before " + most);
                }
            } else if (state != ReadTable.UNKNOWN) {
                if (number(state) < least) {
                    throw new AssertionError(number(state) + " after " + least);
                }
                known.incrementAndGet();
            }
        }
    }

    /**
     * A writer counts a few keys up, and every tenth time to nothing, as the protocol does: dirty, then the next committed value, then told
     * as completed. A reader that begins after that must not see less, and what is being changed without a lease not at all.
     */
    @Test
    void underLoadNoReaderSeesLessThanWhatWasCompletedBefore() throws Exception {
        ReadTable table = new ReadTable(2);
        table.clock(System::nanoTime, System::currentTimeMillis);
        AtomicLong[] completed = new AtomicLong[StressReader.KEYS];
        Arrays.setAll(completed, i -> new AtomicLong());
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong known = new AtomicLong();
        List<StressReader> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            StressReader reader = new StressReader(table, completed, stop, known);
            readers.add(reader);
            Thread thread = new Thread(reader::run);
            thread.setDaemon(true);
            thread.start();
        }
        table.readable(anHour());
        Object[] places = new Object[completed.length];
        for (long write = 1; write <= 20_000 || known.get() < 10_000; write++) {
            for (int i = 0; i < completed.length; i++) {
                places[i] = table.dirty(key(i), places[i]);
                places[i] = table.clean(key(i), places[i], write % 10 == 0 ? null : value(write));
                completed[i].set(write);
            }
            if (write % 50 == 0) {
                table.readable(ReadLease.NONE);
                for (int i = 0; i < completed.length; i++) {
                    places[i] = table.clean(key(i), places[i], value(0)); // an old state that nobody may see
                    places[i] = table.clean(key(i), places[i], null);
                }
                table.readable(anHour());
            }
            if (readers.stream().anyMatch(reader -> reader.end.isDone())) {
                break;
            }
        }
        stop.set(true);
        for (StressReader reader : readers) {
            reader.end.get(30, TimeUnit.SECONDS);
        }
    }
}
