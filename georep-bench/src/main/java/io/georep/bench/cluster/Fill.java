package io.georep.bench.cluster;

import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/** Stores many entries as fast as the node takes them, with a bounded number under way. */
final class Fill {
    private static final int UNDER_WAY_MAX = 20_000;
    private static final int CALL = 500;

    private final Outbox<byte[]> outbox;
    private final int payloadBytes;
    private final Semaphore room = new Semaphore(UNDER_WAY_MAX);
    private final AtomicLong failures = new AtomicLong();

    Fill(Outbox<byte[]> outbox, int payloadBytes) {
        this.outbox = outbox;
        this.payloadBytes = payloadBytes;
    }

    /** Sends so many entries and waits for all answers; returns how many failed. */
    String run(long entries) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(entries);
        long left = entries;
        while (left > 0) {
            int count = (int) Math.min(CALL, left);
            room.acquire(count);
            List<byte[]> payloads = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                byte[] payload = new byte[payloadBytes];
                random.nextBytes(payload);
                payloads.add(payload);
            }
            for (CompletionStage<EntryId> stage : outbox.sendAll(payloads)) {
                stage.whenComplete((id, failure) -> answered(failure != null));
            }
            left -= count;
        }
        room.acquire(UNDER_WAY_MAX);
        return Long.toString(failures.get());
    }

    private void answered(boolean failed) {
        if (failed) {
            failures.incrementAndGet();
        }
        room.release();
    }
}
