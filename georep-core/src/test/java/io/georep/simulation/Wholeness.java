package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.outbox.core.OutboxView;
import java.util.List;
import java.util.function.Function;

/** I22: after quiet, every acknowledged entry that is still to be forwarded has f + 1 copies. */
final class Wholeness {
    private final OutboxWing outbox;
    private final SimulationOptions options;

    Wholeness(OutboxWing outbox) {
        this.outbox = outbox;
        this.options = outbox.options();
    }

    /** Time to meet again, to ask every owner, and to copy again what it lost, one page after the other. */
    long withinNanos() {
        return diskNanos()
                + 2 * options.failoverNanos()
                + 60 * options.config.heartbeat().toNanos()
                + 20 * World.SECONDS;
    }

    /** A write that a slow disk began before it was mended takes as long as it takes; then the store has to be calm again. */
    long diskNanos() {
        boolean slow = options.faults.contains(Fault.DISK_SLOW);
        return slow ? options.config.storeFailAfter().toNanos() : 0;
    }

    /** All owners that are alive have a copy of what is held and was not forwarded. */
    void judge(List<Host> alive, Function<EntryId, String> fate) {
        for (Host host : alive) {
            for (OutboxView.Held held : host.isRunning() ? host.view().held() : List.<OutboxView.Held>of()) {
                History.Entry entry = outbox.history().entry(held.id());
                if (held.state() == EntryState.HELD && !held.taken() && entry.deliveries.isEmpty()) {
                    held.owners().forEach(owner -> judge(host, held, owner, fate));
                }
            }
        }
    }

    private void judge(Host host, OutboxView.Held held, NodeId owner, Function<EntryId, String> fate) {
        Host other = outbox.host(owner);
        check(
                !other.isRunning()
                        || other.view().find(held.id()) != null
                        || other.view().isFinished(held.id())
                        || (mayLackIt(host, other, held) && host.view().shortOfCopies() > 0),
                "I22",
                () -> other + " has no copy of " + held + " at " + host + " long after all trouble was over, "
                        + fate.apply(held.id()));
    }

    private boolean mayLackIt(Host holder, Host owner, OutboxView.Held held) {
        return isDrainedWithAllOthers(owner, held) || isNotTakenFrom(holder, held);
    }

    /** A limited node brings no entries of others that are in touch (6.19.2), not even those that it adopted. */
    private boolean isNotTakenFrom(Host holder, OutboxView.Held held) {
        return outbox.cluster().limited().contains(holder.node())
                && outbox.host(held.id().origin()).isRunning();
    }

    /**
     * A drained owner takes no copies and is to be replaced. When operators drained everybody who could take its place, the
     * holder says that its entries are short of copies, and that is all there is to do (seed 4000000000000020015).
     */
    private boolean isDrainedWithAllOthers(Host owner, OutboxView.Held held) {
        return owner.membership().selfDrained()
                && outbox.hosts().stream()
                        .filter(host -> host.isRunning() && !held.owners().contains(host.id()))
                        .allMatch(host -> host.membership().selfDrained());
    }
}
