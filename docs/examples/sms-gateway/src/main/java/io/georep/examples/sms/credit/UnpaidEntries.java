package io.georep.examples.sms.credit;

import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsIntake;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.receipts.Route;
import io.georep.logging.LimitedLog;
import io.georep.model.EntryId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.OutboxName;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Settles messages that are held and not decided for long: their gateway died before it heard that they are paid, or the answer
 * was lost. Those that are paid are sent, for their senders may have been told so; the others are withdrawn. The gateway that
 * holds them does it: the one that took them, or the one that adopted them.
 */
@Component
public class UnpaidEntries implements DisposableBean {
    private static final Logger LOG = LoggerFactory.getLogger(UnpaidEntries.class);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
    private static final long PAUSE_MILLIS = 1000;
    private static final int PAGE = 16;

    private final LimitedLog troubles = new LimitedLog(LOG);
    private final Outbox<Sms> outbox;
    private final Credit credit;
    private final MeterRegistry meters;
    private final Duration after;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "sms-unpaid");
        made.setDaemon(true);
        return made;
    });

    UnpaidEntries(
            @OutboxName(SmsIntake.QUEUE) Outbox<Sms> outbox,
            Credit credit,
            SmsProperties properties,
            MeterRegistry meters) {
        this.meters = meters;
        this.outbox = outbox;
        this.credit = credit;
        after = properties.credit().checkAfter();
        var unused = thread.scheduleWithFixedDelay(this::look, PAUSE_MILLIS, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            if (credit.isAvailable()) {
                settle();
            }
        } catch (InterruptedException e) {
            LOG.debug("The gateway is leaving");
        } catch (Throwable e) {
            // A task that throws would not be called again.
            troubles.warn("Nobody knows yet whether some messages are paid: they are held: " + e);
        }
    }

    private void settle() throws InterruptedException, ExecutionException, TimeoutException {
        EntryId last = null;
        List<Delivery<Sms>> page = answer(outbox.undecided(null, PAGE));
        while (!page.isEmpty()) {
            for (Delivery<Sms> entry : page) {
                last = entry.id();
                settle(entry);
            }
            page = answer(outbox.undecided(last, PAGE));
        }
    }

    private void settle(Delivery<Sms> entry) throws InterruptedException, ExecutionException, TimeoutException {
        String account = entry.headers().get(Route.ACCOUNT_HEADER);
        boolean isOld = entry.enqueuedAt().plus(after).isBefore(Instant.now());
        if (account != null && isOld && entry.headers().containsKey(PaidSends.PARTS_HEADER)) {
            Outcome outcome = answer(credit.resolve(account, entry.id()));
            boolean isPaid = outcome == Outcome.DONE;
            LOG.debug("Held message {} is paid: {}", entry.id(), isPaid);
            meters.counter("sms.credit", "outcome", isPaid ? "found_paid" : "withdrawn")
                    .increment();
            outbox.decide(List.of(entry.id()), isPaid);
        }
    }

    private static <T> T answer(CompletionStage<T> stage)
            throws InterruptedException, ExecutionException, TimeoutException {
        return stage.toCompletableFuture().get(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void destroy() {
        thread.shutdownNow();
    }
}
