package io.georep.simulation;

import java.util.List;

/** The one consumer all applications forward to: it takes everything, as often as it comes. */
final class Consumer {
    private final World world;
    private long accepted;

    /** Whether every attempt fails. */
    boolean isDown;

    Consumer(World world) {
        this.world = world;
    }

    /** Takes an entry. */
    void accept(History.Entry entry, Host host, int boot, boolean possiblySent) {
        for (History.Delivery before : entry.deliveries) {
            boolean again = before.node.equals(host.id());
            InvariantViolation.check(
                    !again || before.boot != boot, "I10", () -> entry + " is forwarded twice by " + host + "#" + boot);
            InvariantViolation.check(
                    !again || !before.markSurvived || host.storeReplacedAt() > before.at,
                    "I10",
                    () -> entry + " is forwarded again by " + host + "#" + boot + ", whose mark was durable");
        }
        accepted++;
        entry.deliveries.add(new History.Delivery(host.id(), boot, world.now(), possiblySent));
        world.trace().note(world.now(), "accept", entry.id, host.id(), null, boot);
    }

    /** How many times it took something. */
    long accepted() {
        return accepted;
    }

    /** Notes which marks of the process that just ended are still on its disk. */
    static void marked(List<History.Delivery> deliveries) {
        deliveries.forEach(delivery -> delivery.markSurvived = true);
    }
}
