package io.georep.examples.sms.receipts;

import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import io.georep.model.EntryId;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendOptions;
import io.georep.spring.OutboxName;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Takes receipts of the operator and replicates them, and makes those of the gateways' own. Thread-safe. */
@Component
public class ReceiptIntake {
    /** Name of the queue. */
    public static final String QUEUE = "receipts";

    private static final Duration COPIES_WITHIN = Duration.ofSeconds(10);

    private final Outbox<Receipt> outbox;
    private final ReceiptMeters meters;
    private final SendOptions options;

    ReceiptIntake(@OutboxName(QUEUE) Outbox<Receipt> outbox, SmsProperties properties, ReceiptMeters meters) {
        this.outbox = outbox;
        this.meters = meters;
        options = SendOptions.defaults().timeToLive(properties.receipts().keep());
    }

    /**
     * Takes a deliver_sm.
     *
     * @param operator whose it is, see {@link Receipt#idOf}
     * @return completes when f+1 sites have the receipt on disk, on a thread that must not be blocked; null when it is no receipt
     */
    public @Nullable CompletionStage<EntryId> take(Sms deliver, String operator) {
        Receipt receipt = Receipt.of(deliver);
        if (receipt == null) {
            meters.count("not_a_receipt");
            return null;
        }
        return outbox.send(receipt.from(operator), options);
    }

    /** Makes a receipt for a message that the operator does not get; returns when f+1 sites have it on disk. */
    public void own(Route route, MessageState state) {
        if (route.wants(state)) {
            outbox.send(Receipt.own(route, state, Instant.now()), options)
                    .toCompletableFuture()
                    .orTimeout(COPIES_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        }
    }
}
