package io.georep.examples.sms.credit;

import io.georep.examples.sms.Refusal;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsIntake;
import io.georep.geopaxos.OrderedMapUnavailableException;
import io.georep.model.ClosedException;
import io.georep.model.EntryId;
import io.georep.model.GeoRepException;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.OutboxName;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Sends that are paid first. The entry is copied, but held; then its parts are reserved under its id; then the handlers get it. What a
 * crash or a lost answer leaves in between {@link UnpaidEntries} settles. Thread-safe.
 */
@Component
public class PaidSends {
    /** Header of a message that has to be paid: its parts. */
    static final String PARTS_HEADER = "parts";

    private final Outbox<Sms> outbox;
    private final Credit credit;
    private final Timer paid;

    PaidSends(@OutboxName(SmsIntake.QUEUE) Outbox<Sms> outbox, Credit credit, MeterRegistry meters) {
        this.outbox = outbox;
        paid = meters.timer("sms.credit.paid");
        this.credit = credit;
    }

    /**
     * Sends a message of a prepaid account. The stage completes when f + 1 sites have the message on disk and its parts are reserved.
     * It fails as that of {@link Outbox#send} does, or
     *
     * <ul>
     *   <li>with {@link NoCreditException} if too little is free, and with {@link OrderedMapUnavailableException} if nothing can be
     *       reserved now: the message is not sent;
     *   <li>with {@link IndeterminateException} also if nobody knows whether it was reserved: the message is sent if it was.
     * </ul>
     */
    public CompletionStage<EntryId> send(String account, Sms sms, SendOptions options) {
        credit.requireAvailable();
        long parts = Price.of(sms);
        return outbox.prepare(sms, options.header(PARTS_HEADER, Long.toString(parts)))
                .thenCompose(id -> charged(account, id, parts).handle((outcome, error) -> {
                    GeoRepException refusal = error == null ? refusal(outcome, account, parts) : refusal(error);
                    if (!(refusal instanceof IndeterminateException)) {
                        outbox.decide(List.of(id), refusal == null);
                    }
                    if (refusal != null) {
                        throw new CompletionException(refusal);
                    }
                    return id;
                }));
    }

    private CompletionStage<Outcome> charged(String account, EntryId id, long parts) {
        long begin = System.nanoTime();
        try {
            return credit.charge(account, id, parts)
                    .whenComplete((outcome, error) -> paid.record(System.nanoTime() - begin, TimeUnit.NANOSECONDS));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static @Nullable GeoRepException refusal(Outcome outcome, String account, long parts) {
        return switch (outcome) {
            case DONE -> null;
            case NOT_ENOUGH -> new NoCreditException(account, parts);
            case NONE, CHANGED -> new OrderedMapUnavailableException("the message was withdrawn before it was paid");
        };
    }

    /** What is not known to have had no effect may have had one. */
    private static GeoRepException refusal(Throwable error) {
        Throwable cause = Refusal.cause(error);
        return cause instanceof RejectedException || cause instanceof ClosedException
                ? (GeoRepException) cause
                : new IndeterminateException("nobody knows whether the message was paid: " + cause.getMessage());
    }
}
