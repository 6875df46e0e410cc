package io.georep.simulation;

import io.georep.model.EntryId;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The transactions one process sends prepared entries in. What became of them is kept where no crash reaches it, like in
 * the database of a user; a transaction that is open when its process dies is rolled back.
 */
final class Transactions {
    private static final int PAGE = 10;

    private final OutboxWing outbox;
    private final Host host;
    private final RandomGenerator random;

    Transactions(OutboxWing outbox, Host host, RandomGenerator random) {
        this.outbox = outbox;
        this.host = host;
        this.random = random;
    }

    /** The copies are made: some time later the transaction ends. */
    void stored(History.Put put) {
        if (put.prepared) {
            host.later(1 + random.nextLong(outbox.options().failoverNanos()), () -> {
                if (put.decision == History.Decision.OPEN) {
                    put.decision = random.nextInt(4) == 0 ? History.Decision.WITHDRAWN : History.Decision.COMMITTED;
                    decide(put.id, put);
                }
            });
        }
    }

    /** The send failed, so the transaction is rolled back. */
    void failed(History.Put put) {
        put.decision = History.Decision.WITHDRAWN;
    }

    /** Asks for entries whose transaction may have ended while nobody who knew was here. */
    void read(String queue) {
        if (outbox.options().preparedPercent > 0) {
            host.command(new OutboxCommand.ListUndecided(queue, null, PAGE, queue));
        }
    }

    /** Says of each what the database says. */
    void undecided(List<OutboxEvent.Delivered> entries) {
        for (OutboxEvent.Delivered entry : entries) {
            History.Put put = outbox.history().putOf(entry.payload());
            outbox.history().identify(entry.id(), put);
            Host producer = outbox.host(put.node);
            boolean alive = producer.isRunning() && producer.node().boots() == put.boot;
            if (put.decision == History.Decision.OPEN && !alive) {
                put.decision = History.Decision.WITHDRAWN;
            }
            boolean isKnown = !outbox.options().onlyProducersKnow || !alive || producer == host;
            if (isKnown && put.decision != History.Decision.OPEN) {
                decide(entry.id(), put);
            }
        }
    }

    private void decide(EntryId id, History.Put put) {
        host.command(new OutboxCommand.Decide(List.of(id), put.decision == History.Decision.COMMITTED));
    }
}
