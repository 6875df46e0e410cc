package io.georep.examples.sms;

import io.georep.GeoRepNode;
import io.georep.outbox.Delivery;
import io.georep.outbox.OutboxActivity;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * How many messages of each account this gateway took since it started and has not forwarded yet. While an operator is away they
 * pile up, and an account that sends without end must not fill the disk for all others. Thread-safe.
 */
@Component
public class Backlog implements DisposableBean {
    /** So many messages of one account may wait while fewer than {@link #CROWD} wait in all. */
    static final long ALWAYS = 100_000;

    /** An account may also have what its rate allows in this time. Without a rate, {@link #WITHOUT_LIMIT} counts. */
    private static final long SECONDS = 600;

    private static final int WITHOUT_LIMIT = 10_000;

    /** So many messages of all accounts may wait. */
    private static final long PLACES = 1_000_000;

    /** If so many wait in all, one account may have only a part of the places left. */
    static final long CROWD = PLACES / 2;

    private static final Logger LOG = LoggerFactory.getLogger(Backlog.class);
    private static final long CORRECT_SECONDS = 10;
    private final GeoRepNode node;
    private final Instant started = Instant.now();
    private final Map<String, Long> waiting = new ConcurrentHashMap<>();
    private final ScheduledExecutorService corrector;

    /** What waits here in all, adopted and earlier messages included. */
    private final AtomicLong inAll = new AtomicLong();

    Backlog(GeoRepNode node) {
        this.node = node;
        corrector = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "sms-backlog");
            thread.setDaemon(true);
            return thread;
        });
        var unused =
                corrector.scheduleWithFixedDelay(this::correct, CORRECT_SECONDS, CORRECT_SECONDS, TimeUnit.SECONDS);
    }

    /** Counts a message that is about to be taken; false if the account has too many. Each call is followed by an end. */
    boolean add(Account account) {
        int rate = account.settings().rate();
        long most = Math.max(ALWAYS, SECONDS * (rate == 0 ? WITHOUT_LIMIT : rate));
        long all = inAll.getAndIncrement();
        if (all >= CROWD) {
            most = Places.part(PLACES - all);
        }
        return waiting.merge(account.name(), 1L, Long::sum) <= most;
    }

    /** A message was not taken, or waits no longer. */
    void end(String account) {
        inAll.decrementAndGet();
        waiting.computeIfPresent(account, (name, count) -> count == 1 ? null : count - 1);
    }

    /** A message waits no longer; those that others have taken, or that were taken before the start, were not counted. */
    void end(Delivery<Sms> delivery, String account) {
        if (!delivery.adopted()
                && delivery.origin().equals(node.identity().id())
                && !delivery.enqueuedAt().isBefore(started)) {
            end(account);
        }
    }

    /** Messages of an account that wait. */
    public long of(String account) {
        return waiting.getOrDefault(account, 0L);
    }

    /**
     * Corrects the counts. Some messages ended elsewhere, or were never stored though their sends failed without a sure answer;
     * they must not count for ever.
     */
    private void correct() {
        try {
            OutboxActivity outboxes = node.statistics().of(OutboxActivity.class);
            correct(outboxes.backlog(SmsIntake.QUEUE) + outboxes.pendingSends());
        } catch (Throwable e) {
            // A task that throws would not be called again.
            LOG.debug("The backlog is not known now", e);
        }
    }

    void correct(long atMost) {
        inAll.set(atMost);
        long counted = waiting.values().stream().mapToLong(Long::longValue).sum();
        if (counted > atMost) {
            waiting.replaceAll((account, count) -> (long) ((double) count * atMost / counted));
            waiting.values().removeIf(count -> count == 0);
        }
    }

    @Override
    public void destroy() {
        corrector.shutdownNow();
    }
}
