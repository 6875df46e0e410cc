package io.georep.spring.connect;

import io.georep.logging.SafeLog;
import io.georep.spring.connect.SourceLog.Submitted;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceTask;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a source task what is durable, on a thread of its own, because the task's own thread may wait in {@code poll}.
 * It also sends again what could not be sent, and writes the offsets.
 */
final class SourceCommits implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SourceCommits.class);
    private static final long RESEND_FIRST_MILLIS = 50;
    private static final long RESEND_MAX_MILLIS = 5_000;
    private static final long TURN_MILLIS = 50;
    private static final long NOTICED_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final String name;
    private final SourceTask task;
    private final SourceLog log;
    private final SourceOffsets offsets;
    private final long intervalMillis;
    private final PluginCalls calls;
    private final Runnable stopTask;
    private final Runnable committed;
    private final ConcurrentLinkedQueue<Runnable> resends = new ConcurrentLinkedQueue<>();
    private final Map<ByteBuffer, @Nullable Map<String, ?>> unwritten = new HashMap<>();
    private final Thread thread;
    private volatile @Nullable Throwable failure;
    private volatile @Nullable String unwrittenSince;
    private long failedAtNanos;
    private volatile long finishByNanos;
    private volatile boolean finishing;
    private volatile boolean abandoned;
    private int failedSends;
    private long resendAtNanos;
    private long writtenAtNanos = System.nanoTime();

    /** {@code stopTask} ends a {@code poll} that does not return; {@code committed} is told that there was something to commit. */
    SourceCommits(
            String name,
            SourceTask task,
            SourceLog log,
            SourceOffsets offsets,
            long intervalMillis,
            PluginCalls calls,
            Runnable stopTask,
            Runnable committed) {
        this.name = name;
        this.task = task;
        this.log = log;
        this.offsets = offsets;
        this.intervalMillis = intervalMillis;
        this.calls = calls;
        this.stopTask = stopTask;
        this.committed = committed;
        thread = new Thread(this, "georep-connect-" + name + "-commit");
        thread.setDaemon(true);
        thread.setContextClassLoader(task.getClass().getClassLoader());
        thread.start();
    }

    /** Sends again later; on any thread. */
    void resend(Runnable send) {
        resends.add(send);
    }

    /** Fails if a record cannot be sent at all, or this thread broke down: this life of the task must end. */
    void check() {
        Throwable broken = failure;
        if (broken != null) {
            throw new ConnectException("a record of the source cannot be sent", broken);
        }
    }

    /** Returns what an operator should know; null for nothing. */
    @Nullable
    String problem() {
        Throwable broken = failure;
        if (broken == null) {
            String call = calls.problem();
            return call == null ? unwrittenSince : call;
        }
        return "a record cannot be sent: " + ErrorKind.of(broken) + "; the task is started again when its poll returns";
    }

    /** Called when no one waits for the task any more: its successor writes offsets that are ahead of those of this thread. */
    void abandon() {
        abandoned = true;
    }

    /**
     * Waits for what is on its way, writes the offsets, and ends. All that for a bounded time.
     */
    void finish(long millis) {
        finishByNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        finishing = true;
        try {
            thread.join(millis + TimeUnit.SECONDS.toMillis(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        abandon();
        log.close();
    }

    @Override
    public void run() {
        try {
            while (!ends()) {
                commit(done(TURN_MILLIS));
                resendDue();
                if (System.nanoTime() - writtenAtNanos >= TimeUnit.MILLISECONDS.toNanos(intervalMillis)) {
                    write();
                }
                endPoll();
            }
            commit(done(0));
            write();
        } catch (Throwable e) {
            failed(e);
            if (!finishing) {
                stopTask.run();
            }
        }
    }

    private List<Submitted> done(long waitMillis) {
        try {
            return log.takeDone(waitMillis);
        } catch (InterruptedException e) {
            return List.of(); // by a plugin, too late for its call
        }
    }

    /**
     * Notes a failure. What was done before is still committed, because otherwise it would be sent again in each life of the
     * task.
     */
    private void failed(Throwable error) {
        if (failure == null) { // the next life of the task says it of others
            SafeLog.log(LOG, "Task {}: a record cannot be sent", name, error);
            failedAtNanos = System.nanoTime();
            failure = error;
        }
    }

    /** The task's own thread may wait for records that never come. */
    private void endPoll() {
        if (failure != null && !finishing && System.nanoTime() - failedAtNanos >= NOTICED_WITHIN_NANOS) {
            stopTask.run();
        }
    }

    private boolean ends() {
        return finishing && (log.onTheirWay() == 0 || System.nanoTime() - finishByNanos >= 0);
    }

    private void commit(List<Submitted> done) {
        for (Submitted one : done) {
            unwritten.put(one.partition(), one.record().sourceOffset());
            calls.begin("commitRecord");
            try {
                task.commitRecord(one.record(), one.metadata());
            } catch (Throwable e) {
                SafeLog.log(LOG, "Task {}: commitRecord failed; its entry is durable nevertheless", name, e);
            } finally {
                calls.end();
            }
        }
        if (!done.isEmpty()) {
            failedSends = 0;
            committed.run();
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
        for (Runnable send : due) {
            try {
                send.run();
            } catch (RuntimeException e) {
                failed(e);
            }
        }
    }

    private void write() {
        writtenAtNanos = System.nanoTime();
        try {
            if (!unwritten.isEmpty()) {
                offsets.write(unwritten, () -> abandoned);
                unwritten.clear();
            }
            unwrittenSince = null;
        } catch (RuntimeException e) {
            if (unwrittenSince == null) {
                LOG.warn("Task {}: the offsets could not be written, which is tried again", name, e);
            }
            unwrittenSince = "the offsets could not be written, which is tried again: " + ErrorKind.of(e);
            return;
        }
        calls.begin("commit");
        try {
            task.commit();
        } catch (Throwable e) {
            SafeLog.log(LOG, "Task {}: commit failed; the offsets are durable nevertheless", name, e);
        } finally {
            calls.end();
        }
    }
}
