package io.georep.examples.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends numbered entries. One that was not acknowledged is followed by a new one in its place. */
final class Traffic {
    private static final int UNDER_WAY_MAX = 24;
    private static final long PAUSE_MILLIS = 20;
    private static final long SECONDS_MAX = 60;

    /** Where entries come in. */
    interface Door {
        /** Sends; true if it was acknowledged, false if it was refused, an exception if nobody knows. */
        CompletableFuture<Boolean> send(String payload) throws Exception;
    }

    private final Door door;
    private final Ledger ledger;
    private final Semaphore free = new Semaphore(UNDER_WAY_MAX);
    private volatile boolean over;

    Traffic(Door door, Ledger ledger) {
        this.door = door;
        this.ledger = ledger;
    }

    /** The doors of all nodes that live, in turn. */
    static Door http(Hosts hosts, String outbox) {
        AtomicInteger turn = new AtomicInteger();
        return payload -> {
            List<HostProcess> living =
                    hosts.all().stream().filter(HostProcess::alive).toList();
            HostProcess node = living.get(Math.floorMod(turn.getAndIncrement(), living.size()));
            return node.post(outbox, payload).thenApply(response -> switch (response.statusCode()) {
                case 201 -> true;
                case 429, 503 -> false;
                default -> throw new IllegalStateException(response.statusCode() + " " + response.body());
            });
        };
    }

    /** Sends until so many more are acknowledged. */
    void send(int count) throws Exception {
        send(count, () -> {});
    }

    /**
     * The same; when half of them are acknowledged, and others are under way, something happens. However fast the door is, the
     * last quarter comes after that.
     */
    void send(int count, Accident accident) throws Exception {
        CountDownLatch half = new CountDownLatch(count / 2);
        CountDownLatch all = new CountDownLatch(count);
        Semaphore happened = new Semaphore(0);
        Thread sender = new Thread(() -> {
            for (int i = 0; i < count && !over; i++) {
                if (i == count - count / 4) {
                    happened.acquireUninterruptibly();
                }
                free.acquireUninterruptibly();
                attempt(half, all);
            }
        });
        sender.start();
        try {
            await(half);
            accident.happen();
        } finally {
            happened.release();
        }
        await(all);
        sender.join();
    }

    /** Something that happens. */
    interface Accident {
        void happen() throws Exception;
    }

    private void await(CountDownLatch open) throws InterruptedException {
        boolean done = open.await(SECONDS_MAX, TimeUnit.SECONDS);
        over = !done;
        assertThat(done).as("all acknowledged: %s", ledger).isTrue();
    }

    private void attempt(CountDownLatch half, CountDownLatch all) {
        String payload = ledger.open();
        CompletableFuture<Boolean> answer;
        try {
            answer = door.send(payload);
        } catch (Exception e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((acknowledged, error) -> {
            if (error == null && acknowledged) {
                ledger.acknowledged(payload);
                free.release();
                half.countDown();
                all.countDown();
                return;
            }
            if (error == null) {
                ledger.refused(payload);
            }
            if (over) {
                free.release();
            } else {
                CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                        .execute(() -> attempt(half, all));
            }
        });
    }
}
