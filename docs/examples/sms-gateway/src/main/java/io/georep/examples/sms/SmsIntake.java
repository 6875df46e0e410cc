package io.georep.examples.sms;

import io.georep.examples.sms.credit.PaidSends;
import io.georep.examples.sms.receipts.Route;
import io.georep.logging.LimitedLog;
import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.OutboxName;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Takes messages from both doors and replicates them. Thread-safe. */
@Component
public class SmsIntake {
    /** Name of the queue. */
    public static final String QUEUE = "sms";

    private static final Logger LOG = LoggerFactory.getLogger(SmsIntake.class);

    private final LimitedLog troubles = new LimitedLog(LOG);
    private final Outbox<Sms> outbox;
    private final PaidSends paid;
    private final MeterRegistry meters;
    private final Accounts accounts;
    private final Backlog backlog;
    private final int contentBytesMax;

    SmsIntake(
            @OutboxName(QUEUE) Outbox<Sms> outbox,
            PaidSends paid,
            SmsProperties properties,
            Accounts accounts,
            Backlog backlog,
            MeterRegistry meters) {
        this.outbox = outbox;
        this.paid = paid;
        this.backlog = backlog;
        this.accounts = accounts;
        this.contentBytesMax = properties.contentBytesMax();
        this.meters = meters;
    }

    /**
     * Takes a message.
     *
     * @param account who sends it
     * @param door where it came in, {@link Route#HTTP} or {@link Route#SMPP}: for receipts, and for the metrics
     * @return completes when f+1 sites have it on disk, on a thread that must not be blocked; when it fails,
     *     {@link Refusal#of} tells what to answer
     */
    public CompletionStage<EntryId> take(Account account, Sms sms, String door) {
        Timer.Sample sample = Timer.start(meters);
        CompletionStage<EntryId> stored;
        boolean hasRoom = backlog.add(account);
        try {
            boolean isPaidFirst = checked(account, sms, hasRoom).settings().isPaidFirst();
            SendOptions options = options(account, sms, door, isPaidFirst);
            stored = isPaidFirst ? paid.send(account.name(), sms, options) : outbox.send(sms, options);
        } catch (RuntimeException e) {
            stored = CompletableFuture.failedFuture(e);
        }
        return stored.whenComplete((id, error) -> {
            Refusal refusal = error == null ? null : refusal(error);
            if (refusal != null && refusal != Refusal.UNKNOWN_OUTCOME) {
                backlog.end(account.name());
            }
            sample.stop(meters.timer("sms.taken", "door", door, "outcome", outcome(refusal)));
        });
    }

    /** Returns the account as it is now. */
    private Account checked(Account account, Sms sms, boolean hasRoom) {
        if (sms.content().length > contentBytesMax) {
            throw new RejectedException(
                    RejectedException.Reason.PAYLOAD_TOO_LARGE,
                    "the content has " + sms.content().length + " bytes, allowed are " + contentBytesMax
                            + " (sms.content-bytes-max)");
        }
        Account now = accounts.find(account.name());
        if (now == null) {
            throw new AccountClosedException(account.name());
        }
        if (!now.allowsOneMore()) {
            throw new RejectedException(
                    RejectedException.Reason.QUEUE_FULL,
                    "account " + account.name() + " may send "
                            + now.settings().rate() + " messages per second (sms.accounts." + account.name()
                            + ".rate)");
        }
        if (!hasRoom) {
            throw new RejectedException(
                    RejectedException.Reason.QUEUE_FULL,
                    "account " + account.name() + " has too many messages here that are not forwarded yet: send later");
        }
        return now;
    }

    /**
     * An entry lives until its message expires. If receipts are wanted or it is paid it lives on, so that the gateway that forwards
     * it can report the expiry, and give back what was paid.
     */
    private static SendOptions options(Account account, Sms sms, String door, boolean isPaidFirst) {
        SendOptions options = Route.mark(SendOptions.defaults(), account.name(), door);
        Instant expiry = sms.expiry();
        if (expiry == null || isPaidFirst || Route.wanted(sms)) {
            return options;
        }
        long millis = Math.max(1, Duration.between(Instant.now(), expiry).toMillis());
        return options.timeToLive(Duration.ofMillis(millis));
    }

    private Refusal refusal(Throwable error) {
        Refusal refusal = Refusal.of(error);
        switch (refusal) {
            case UNKNOWN_OUTCOME ->
                troubles.warn("A message may be forwarded although its sender is told of an error: "
                        + Refusal.cause(error).getMessage());
            case FAULT -> troubles.error("A message was not taken", error);
            default ->
                LOG.debug("A message was not taken: {}", Refusal.cause(error).getMessage());
        }
        return refusal;
    }

    private static String outcome(@Nullable Refusal refusal) {
        return refusal == null ? "stored" : refusal.name().toLowerCase(Locale.ROOT);
    }
}
