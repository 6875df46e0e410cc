package io.georep.examples.sms.receipts;

import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.smpp.Delivered;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.DeadLetterException;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import io.georep.spring.OutboxRetry;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Forwards receipts to the clients that asked for them: those taken here, and those adopted from a gateway that is gone. */
@Component
class ReceiptForwarder {
    private static final Logger LOG = LoggerFactory.getLogger(ReceiptForwarder.class);

    private final ReceiptDesk desk;
    private final Webhooks webhooks;
    private final WaitingReceipts waiting;
    private final ReceiptMeters meters;
    private final SmsProperties properties;
    private final Accounts accounts;

    ReceiptForwarder(
            @OutboxName(ReceiptIntake.QUEUE) Outbox<Receipt> outbox,
            ReceiptDesk desk,
            Webhooks webhooks,
            WaitingReceipts waiting,
            ReceiptMeters meters,
            SmsProperties properties,
            Accounts accounts) {
        this.desk = desk;
        this.webhooks = webhooks;
        this.waiting = waiting;
        this.meters = meters;
        this.properties = properties;
        this.accounts = accounts;
        outbox.onExpired(this::expired);
    }

    @OutboxListener(
            queue = ReceiptIntake.QUEUE,
            id = "receipts",
            concurrency = "${sms.receipts.concurrency:32}",
            retry = @OutboxRetry(delayMin = "200ms", delayMax = "30s"))
    void forward(Delivery<Receipt> delivery) throws InterruptedException {
        Receipt receipt = delivery.payload();
        Route known = receipt.route() == null ? waiting.route(delivery.id()) : receipt.route();
        ReceiptDesk.Found found = known == null ? find(delivery) : ReceiptDesk.Found.at(known, null);
        Route route = found.route();
        if (route == null) {
            unknown(delivery, found.unknownFor());
        } else if (accounts.closed(route.account())) {
            end(delivery, found, "no_account");
        } else if (!receipt.isWantedBy(route)) {
            end(delivery, found, "not_wanted");
        } else {
            forward(delivery, found, route);
        }
    }

    /**
     * Asks again about a receipt that no gateway knew. Such receipts must not take all calls: each takes long while a gateway
     * is silent.
     */
    private ReceiptDesk.Found find(Delivery<Receipt> delivery) throws InterruptedException {
        String operatorId = delivery.payload().operatorId();
        if (!waiting.contains(delivery.id()) || desk.knows(operatorId)) {
            return desk.find(operatorId);
        }
        String operator = operator(operatorId);
        long begun = System.nanoTime();
        if (!waiting.begin(operator, begun)) {
            waiting.room(operator, delivery.id());
            throw new ReceiptWaitsException("other receipts of unknown messages are looked up");
        }
        try {
            return desk.find(operatorId);
        } finally {
            waiting.end(operator, Delivered.TAKEN, begun, System.nanoTime());
        }
    }

    /** Returns the name under which receipts of unknown messages wait; no account has it. */
    private String operator(String operatorId) {
        String name = operatorId.substring(0, Math.max(0, operatorId.indexOf('/')));
        return "\0" + (properties.operators().containsKey(name) ? name : "");
    }

    private void forward(Delivery<Receipt> delivery, ReceiptDesk.Found found, Route route) throws InterruptedException {
        Delivered outcome = waiting.attempt(route.account(), delivery.id(), () -> give(delivery, route));
        switch (outcome) {
            case TAKEN -> end(delivery, found, "delivered");
            case REFUSED -> {
                waiting.ended(delivery.id());
                meters.count("refused");
                throw new DeadLetterException(
                        "account " + route.account() + " refused the receipt of message " + route.id() + " for good");
            }
            case LATER -> {
                if (!waiting.room(route, delivery.id())) {
                    end(delivery, found, "overflow");
                    return;
                }
                throw new ReceiptWaitsException(
                        "account " + route.account() + " does not take the receipt of message " + route.id() + " now");
            }
        }
    }

    private Delivered give(Delivery<Receipt> delivery, Route route) throws InterruptedException {
        Receipt receipt = delivery.payload();
        boolean repeated = delivery.possiblySent();
        if (!route.door().equals(Route.HTTP)) {
            return desk.deliver(receipt, route, repeated);
        }
        // The account may be in the settings of another gateway, and soon in this one's.
        return accounts.find(route.account()) == null
                ? Delivered.LATER
                : webhooks.post(receipt, route, delivery.id(), repeated);
    }

    /** Ends a receipt; if it was the last one of its message, the wait for receipts ends, too. */
    private void end(Delivery<Receipt> delivery, ReceiptDesk.Found found, String outcome) throws InterruptedException {
        Receipt receipt = delivery.payload();
        Route route = found.route();
        boolean waited = waiting.ended(delivery.id());
        meters.count(outcome);
        if (route != null && receipt.last() && !receipt.operatorId().isEmpty()) {
            desk.done(receipt.operatorId(), route, found.holder(), waited);
        }
    }

    /**
     * Decides about a receipt whose message no gateway knows. The receipt may be faster than the answer to the submit. Or the
     * gateway that knows the message is away: then the receipt waits for it, or for the gateway that adopts its notes. A
     * gateway that has just returned or adopted may still be reading them.
     */
    private void unknown(Delivery<Receipt> delivery, Duration unknownFor) {
        Duration age = Duration.between(delivery.enqueuedAt(), Instant.now());
        Duration within = properties.receipts().matchWithin();
        boolean justAdopted = delivery.adopted() && !waiting.contains(delivery.id());
        if (justAdopted) {
            desk.mayLearn();
        } else if (age.compareTo(within) > 0 && unknownFor.compareTo(within) > 0) {
            waiting.ended(delivery.id());
            meters.count("unknown");
            LOG.debug("Receipt {} is of a message that no gateway waits for", delivery.id());
            return;
        }
        if (!waiting.room(operator(delivery.payload().operatorId()), delivery.id())) {
            meters.count("overflow");
            return;
        }
        throw new ReceiptWaitsException("no gateway in reach knows the operator's id of the message");
    }

    private void expired(Delivery<Receipt> delivery) {
        waiting.ended(delivery.id());
        meters.count("expired");
        LOG.debug("Receipt {} did not reach its client in time", delivery.id());
    }
}
