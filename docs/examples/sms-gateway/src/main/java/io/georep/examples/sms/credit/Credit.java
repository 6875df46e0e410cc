package io.georep.examples.sms.credit;

import io.georep.geopaxos.MapTransaction;
import io.georep.geopaxos.OrderedMapUnavailableException;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.OrderedMapsStatistics;
import io.georep.logging.LimitedLog;
import io.georep.model.EntryId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/** The credit of prepaid accounts, in the ordered maps of all gateways. Nothing here waits. Thread-safe. */
@Component
public class Credit implements DisposableBean {
    private static final Logger LOG = LoggerFactory.getLogger(Credit.class);
    private static final long LOOK_MILLIS = 500;

    /** Longer than a charge of a gateway that is gone can still be under way. */
    private static final Duration WITHDRAWN_KEPT = Duration.ofDays(7);

    private final LimitedLog troubles = new LimitedLog(LOG);
    private final @Nullable OrderedMaps maps;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "sms-credit");
        made.setDaemon(true);
        return made;
    });
    private volatile boolean led;

    Credit(ObjectProvider<OrderedMaps> all) {
        maps = all.getIfAvailable();
        OrderedMaps open = maps;
        if (open != null) {
            var unused = thread.scheduleWithFixedDelay(() -> look(open), 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look(OrderedMaps open) {
        try {
            open.readStatistics()
                    .whenComplete((read, error) -> led = error == null
                            && read.groups().stream()
                                    .map(OrderedMapsStatistics.Group::leader)
                                    .anyMatch(leader -> leader != null));
        } catch (Throwable e) {
            // A task that throws would not be called again.
            led = false;
            troubles.warn("Nobody knows whether credit can be reserved: " + e);
        }
    }

    /**
     * Refuses before anything is stored while no charge would be answered.
     *
     * @throws OrderedMapUnavailableException if too few gateways are in reach, or this one keeps no credit
     */
    void requireAvailable() {
        open();
        if (!led) {
            throw new OrderedMapUnavailableException("too few gateways are in reach to reserve credit");
        }
    }

    /** Returns whether charges would be answered now. */
    boolean isAvailable() {
        return maps != null && led;
    }

    private OrderedMaps open() {
        OrderedMaps open = maps;
        if (open == null) {
            throw new OrderedMapUnavailableException(
                    "this gateway keeps no credit: start all gateways with the profile 'credit'");
        }
        return open;
    }

    private CompletionStage<Outcome> call(MapTransaction<Order, Outcome> transaction, Order order) {
        return open().call(transaction, order);
    }

    /** Reserves. To be called once for an entry, and never again: after an error {@link #resolve} tells. */
    CompletionStage<Outcome> charge(String account, EntryId entry, long parts) {
        return call(CreditTransaction.CHARGE, new Order(account, entry.toString(), parts, 0));
    }

    /** Finds out whether an entry has reserved, and keeps it from reserving any more if not. */
    CompletionStage<Outcome> resolve(String account, EntryId entry) {
        Reservation none = Reservation.NONE;
        Order order = Order.about(account, entry.toString());
        return call(CreditTransaction.RESOLVE, order)
                .thenCompose(outcome -> outcome == Outcome.DONE
                        ? CompletableFuture.completedStage(outcome)
                        // Transactions know no time to live. If this fails, it stays for ever: a few bytes.
                        : open().map(CreditTransaction.RESERVATIONS)
                                .replace(order.key(), none, none, WITHDRAWN_KEPT, null)
                                .handle((replaced, error) -> outcome));
    }

    /** Ends a reservation, if it has not ended. */
    CompletionStage<Outcome> end(Settlement settlement) {
        return call(
                settlement.givenBack() ? CreditTransaction.GIVE_BACK : CreditTransaction.SPEND,
                Order.about(settlement.account(), settlement.entry()));
    }

    /** Pays in, if the account has topped up this much before. */
    CompletionStage<Outcome> topUp(String account, long parts, long toppedUp) {
        return call(CreditTransaction.TOP_UP, new Order(account, "", parts, toppedUp));
    }

    /** Reads the credit of an account. */
    CompletionStage<Purse> purse(String account) {
        return open().map(CreditTransaction.PURSES)
                .get(account)
                .thenApply(purse -> purse == null ? Purse.EMPTY : purse);
    }

    @Override
    public void destroy() {
        thread.shutdownNow();
    }
}
