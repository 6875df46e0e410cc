package io.georep.examples.sms.receipts;

import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import io.georep.outbox.Delivery;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What the forwarding of messages has to do with receipts. Thread-safe. */
@Component
public class Receipts {
    private final AwaitedReceipts awaited;
    private final ReceiptIntake intake;
    private final Duration await;

    Receipts(AwaitedReceipts awaited, ReceiptIntake intake, SmsProperties properties) {
        this.awaited = awaited;
        this.intake = intake;
        await = properties.receipts().await();
    }

    /** Where the receipts of a message go; null when its sender wants none. */
    public @Nullable Route route(Delivery<Sms> delivery) {
        return Route.of(delivery, await, Instant.now());
    }

    /** The operator took the message, and its receipts are awaited; see {@link AwaitedReceipts#add}. */
    public void await(String operatorId, Route route) throws InterruptedException {
        awaited.add(operatorId, route);
    }

    /** The operator does not get the message. Returns when a receipt that says so is on disk at f + 1 sites. */
    public void own(Route route, MessageState state) {
        intake.own(route, state);
    }
}
