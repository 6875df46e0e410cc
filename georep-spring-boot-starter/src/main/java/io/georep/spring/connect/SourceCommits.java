package io.georep.spring.connect;

import io.georep.spring.connect.SourceLog.Submitted;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.connect.source.SourceTask;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a source task what is durable, on a thread of its own, because the task's own thread may wait in {@code poll}. It also
 * sends again what could not be sent, and writes the offsets.
 */
final class SourceCommits implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SourceCommits.class);
    private static final long RESEND_FIRST_MILLIS = 50;
    private static final long RESEND_MAX_MILLIS = 5_000;
    private static final long TURN_MILLIS = 50;

    private final String name;
    private final SourceTask task;
    private final SourceLog log;
    private final SourceOffsets offsets;
    private final long intervalMillis;
    private final Consumer<@Nullable String> problem;
    private final ConcurrentLinkedQueue<Runnable> resends = new ConcurrentLinkedQueue<>();
    private final Map<ByteBuffer, @Nullable Map<String, ?>> unwritten = new HashMap<>();
    private final Thread thread;
    private volatile @Nullable Throwable failure;
    private volatile long finishByNanos;
    private volatile boolean finishing;
    private int failedSends;
    private long resendAtNanos;
    private long writtenAtNanos = System.nanoTime();
    private @Nullable String said;

    SourceCommits(
            String name,
            SourceTask task,
            SourceLog log,
            SourceOffsets offsets,
            long intervalMillis,
            Consumer<@Nullable String> problem) {
        this.name = name;
        this.task = task;
        this.log = log;
        this.offsets = offsets;
        this.intervalMillis = intervalMillis;
        this.problem = problem;
        thread = new Thread(this, "georep-connect-" + name + "-commit");
        thread.setDaemon(true);
        thread.setContextClassLoader(task.getClass().getClassLoader());
        thread.start();
    }

    /** Sends again later; on any thread. */
    void resend(Runnable send) {
        resends.add(send);
    }

    /** Throws what broke this thread. */
    void check() {
        Throwable broken = failure;
        if (broken != null) {
            throw new IllegalStateException("the commits of the source broke down: " + broken, broken);
        }
    }

    /** Waits for what is on its way, writes the offsets, and ends. All that for a bounded time. */
    void finish(long millis) {
        finishByNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        finishing = true;
        try {
            thread.join(millis + TimeUnit.SECONDS.toMillis(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        log.close();
    }

    @Override
    public void run() {
        try {
            while (!ends()) {
                commit(log.takeDone(TURN_MILLIS));
                resendDue();
                if (System.nanoTime() - writtenAtNanos >= TimeUnit.MILLISECONDS.toNanos(intervalMillis)) {
                    write();
                }
            }
            commit(log.takeDone(0));
            write();
        } catch (Throwable e) {
            failure = e;
            LOG.error("Task {}: the thread that commits broke down", name, e);
        }
    }

    private boolean ends() {
        return finishing && (log.pending() == 0 || System.nanoTime() - finishByNanos >= 0);
    }

    private void commit(List<Submitted> done) {
        for (Submitted one : done) {
            unwritten.put(one.partition(), one.record().sourceOffset());
            try {
                task.commitRecord(one.record(), one.metadata());
            } catch (Exception e) {
                LOG.error("Task {}: commitRecord failed; its entry is durable nevertheless", name, e);
            }
        }
        if (!done.isEmpty()) {
            failedSends = 0;
        }
    }

    private void resendDue() {
        if (resends.isEmpty() || System.nanoTime() - resendAtNanos < 0) {
            return;
        }
        List<Runnable> due = new ArrayList<>();
        for (Runnable send = resends.poll(); send != null; send = resends.poll()) {
            due.add(send);
        }
        long pause = Math.min(RESEND_MAX_MILLIS, RESEND_FIRST_MILLIS << Math.min(failedSends, 10));
        failedSends++;
        resendAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
        due.forEach(Runnable::run);
    }

    private void write() {
        writtenAtNanos = System.nanoTime();
        try {
            if (!unwritten.isEmpty()) {
                offsets.write(unwritten);
                unwritten.clear();
            }
            say(null);
        } catch (RuntimeException e) {
            say("the offsets could not be written, which is tried again: " + e.getMessage());
            return;
        }
        try {
            task.commit();
        } catch (Exception e) {
            LOG.error("Task {}: commit failed; the offsets are durable nevertheless", name, e);
        }
    }

    /** Changes what it said itself, and not what others say. */
    private void say(@Nullable String text) {
        if (text != null || said != null) {
            said = text;
            problem.accept(text);
        }
    }
}
