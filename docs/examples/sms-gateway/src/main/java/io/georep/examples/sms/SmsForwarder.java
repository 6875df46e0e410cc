package io.georep.examples.sms;

import io.georep.examples.sms.credit.Settlements;
import io.georep.examples.sms.operator.ExpiredException;
import io.georep.examples.sms.operator.Operators;
import io.georep.examples.sms.receipts.MessageState;
import io.georep.examples.sms.receipts.Receipts;
import io.georep.examples.sms.receipts.Route;
import io.georep.examples.sms.tables.Routes;
import io.georep.outbox.Adoption;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.DeadLetterException;
import io.georep.spring.OnAdoption;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import io.georep.spring.OutboxRetry;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Forwards messages to the operator: those taken here, and those adopted from a gateway that is gone. */
@Component
class SmsForwarder {
    private static final Logger LOG = LoggerFactory.getLogger(SmsForwarder.class);
    private static final long LOG_EVERY = 1000;

    private final Operators operators;
    private final Routes routes;
    private final Receipts receipts;
    private final Settlements settlements;
    private final Backlog backlog;
    private final MeterRegistry meters;
    private final Map<String, AtomicLong> adoptions = new ConcurrentHashMap<>();

    SmsForwarder(
            @OutboxName(SmsIntake.QUEUE) Outbox<Sms> outbox,
            Operators operators,
            Routes routes,
            Receipts receipts,
            Settlements settlements,
            Backlog backlog,
            MeterRegistry meters) {
        this.settlements = settlements;
        this.backlog = backlog;
        this.operators = operators;
        this.routes = routes;
        this.receipts = receipts;
        this.meters = meters;
        outbox.onExpired(this::expired);
    }

    @OutboxListener(
            queue = SmsIntake.QUEUE,
            id = "operator",
            concurrency = "${sms.operator.window:32}",
            retry = @OutboxRetry(delayMin = "200ms", delayMax = "10s"))
    void forward(Delivery<Sms> delivery) throws InterruptedException {
        Route route = receipts.route(delivery);
        try {
            Sms sms = delivery.payload();
            String operatorId = operators.submit(routes.operator(sms.to()), sms, delivery.id());
            if (route != null) {
                receipts.await(operatorId, route);
            }
            settlements.spent(delivery);
        } catch (ExpiredException e) {
            if (route != null) {
                receipts.own(route, MessageState.EXPIRED);
            }
            settlements.givenBack(delivery);
            expired(delivery);
            return;
        } catch (DeadLetterException e) {
            if (route != null) {
                receipts.own(route, MessageState.REJECTED);
            }
            settlements.givenBack(delivery);
            operators.forget(delivery.id());
            over(delivery);
            throw e;
        }
        over(delivery);
        meters.counter(
                        "sms.forwarded",
                        "adopted",
                        Boolean.toString(delivery.adopted()),
                        "possibly_sent",
                        Boolean.toString(delivery.possiblySent()))
                .increment();
    }

    private void over(Delivery<Sms> delivery) {
        String account = delivery.headers().get(Route.ACCOUNT_HEADER);
        if (account != null) {
            backlog.end(delivery, account);
        }
    }

    private void expired(Delivery<Sms> delivery) {
        over(delivery);
        LOG.debug("The validity of {} is over", delivery.id());
        meters.counter("sms.expired").increment();
    }

    @OnAdoption(SmsIntake.QUEUE)
    void adopted(Adoption<Sms> adoption) {
        String from = adoption.from().value();
        meters.counter("sms.adopted", "from", from).increment();
        // A gateway may be lost more than once: each of its boots is told apart.
        String boot = from + ":" + adoption.delivery().id().stream().boot();
        long sum = adoptions.computeIfAbsent(boot, ignored -> new AtomicLong()).incrementAndGet();
        if (sum == 1) {
            LOG.info(
                    "{} is gone: this gateway forwards its messages, {} first",
                    from,
                    adoption.delivery().id());
        } else if (sum % LOG_EVERY == 0) {
            LOG.info("{} messages adopted from {} so far", sum, from);
        } else {
            LOG.debug("Adopted {} from {}", adoption.delivery().id(), from);
        }
    }
}
