package io.georep.examples.sms.credit;

import io.georep.examples.sms.Sms;
import io.georep.examples.sms.receipts.Route;
import io.georep.logging.LimitedLog;
import io.georep.model.ClosedException;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import io.georep.spring.OutboxRetry;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Ends reservations of messages that have ended. Each end is an entry of a queue of its own: the forwarding waits for copies at other
 * sites, as ever, and not for the ordered maps, and no end gets lost with a gateway. Thread-safe.
 */
@Component
public class Settlements {
    /** Name of the queue. */
    static final String QUEUE = "credit";

    private static final Logger LOG = LoggerFactory.getLogger(Settlements.class);
    private static final Duration COPIES_WITHIN = Duration.ofSeconds(10);

    private final LimitedLog troubles = new LimitedLog(LOG);
    private final Outbox<Settlement> outbox;
    private final Credit credit;
    private final MeterRegistry meters;

    Settlements(@OutboxName(QUEUE) Outbox<Settlement> outbox, Credit credit, MeterRegistry meters) {
        this.outbox = outbox;
        this.credit = credit;
        this.meters = meters;
    }

    /** An operator took the message. */
    public void spent(Delivery<Sms> message) throws InterruptedException {
        add(message, false);
    }

    /** No operator takes the message. */
    public void givenBack(Delivery<Sms> message) throws InterruptedException {
        add(message, true);
    }

    /**
     * Returns when the end is on disk at f + 1 sites; if they are out of reach, on disk here. It does not fail: the message has ended
     * and must not be sent again. Messages that were not paid have nothing to end.
     */
    private void add(Delivery<Sms> message, boolean givenBack) throws InterruptedException {
        String account = message.headers().get(Route.ACCOUNT_HEADER);
        if (account == null || !message.headers().containsKey(PaidSends.PARTS_HEADER)) {
            return;
        }
        Settlement settlement = new Settlement(message.id().toString(), account, givenBack);
        if (!isStored(settlement, SendOptions.defaults())
                && !isStored(settlement, SendOptions.defaults().f(0))) {
            meters.counter("sms.credit", "outcome", "unsafe").increment();
            troubles.warn("What message " + message.id() + " has reserved stays reserved: " + settlement);
        }
    }

    private boolean isStored(Settlement settlement, SendOptions options) throws InterruptedException {
        try {
            outbox.send(settlement, options).toCompletableFuture().get(COPIES_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ClosedException closed) {
                throw closed; // the message has not ended here: it is sent again, and ends then
            }
            LOG.debug("No copies of {}", settlement, e);
            return false;
        } catch (TimeoutException e) {
            // If it is stored all the same it comes twice, which does no harm.
            LOG.debug("No copies of {}", settlement, e);
            return false;
        }
    }

    @OutboxListener(
            queue = QUEUE,
            id = "credit",
            concurrency = "32",
            retry = @OutboxRetry(delayMin = "200ms", delayMax = "10s", attempts = "0"))
    CompletionStage<Void> settle(Delivery<Settlement> delivery) {
        Settlement settlement = delivery.payload();
        return credit.end(settlement).thenAccept(outcome -> {
            String what = settlement.givenBack() ? "given_back" : "spent";
            meters.counter("sms.credit", "outcome", outcome == Outcome.DONE ? what : "repeated")
                    .increment();
            LOG.debug("{}: {}", settlement, outcome.name().toLowerCase(Locale.ROOT));
        });
    }
}
