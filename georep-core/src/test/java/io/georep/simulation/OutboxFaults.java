package io.georep.simulation;

import io.georep.outbox.core.OutboxCommand;

/** What only applications of the outbox suffer, and what happens while they hand over to their consumer. */
final class OutboxFaults {
    private static final long MINUTES = 120 * World.SECONDS;

    private final SimulatedCluster cluster;

    OutboxFaults(SimulatedCluster cluster) {
        this.cluster = cluster;
    }

    void happen(Fault kind, Host host, Nemesis nemesis) {
        switch (kind) {
            case CRASH_AFTER_ACCEPT -> host.afterAccept = () -> nemesis.crash(kind, host.node());
            case SLOW_CONSUMER -> {
                Trouble.Item item = nemesis.begin(kind, host.node(), null);
                host.slow = true;
                nemesis.later(item, nemesis.spell(), () -> host.slow = false);
            }
            case CONSUMER_DOWN -> {
                Trouble.Item item = nemesis.begin(kind, host.node(), null);
                cluster.consumer().isDown = true;
                nemesis.later(item, MINUTES + nemesis.spell(), () -> cluster.consumer().isDown = false);
            }
            case REFUSE_ADOPTION -> {
                cluster.coverage().met(kind);
                allowAdoption(host, false);
                cluster.world().after(nemesis.spell(), () -> allowAdoption(host, true));
            }
            // The duty is not over at once.
            default ->
                host.onDuty = () -> host.later(
                        nemesis.random.nextLong(
                                cluster.options().config().heartbeat().toNanos()),
                        () -> {
                            if (!nemesis.isOver()) {
                                nemesis.crash(kind, host.node());
                            }
                        });
        }
    }

    private static void allowAdoption(Host host, boolean isAllowed) {
        host.adoptionRefused = !isAllowed;
        host.command(new OutboxCommand.AllowAdoption(isAllowed));
    }

    void healed(Host host) {
        cluster.consumer().isDown = false;
        host.slow = false;
        host.afterAccept = null;
        host.onDuty = null;
        allowAdoption(host, true);
    }
}
