package io.georep.simulation;

import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.core.FunnelProtocol;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import java.util.List;

/** What stands between the protocol of one machine and the master: renews, one question at a time. */
final class FunnelMachine {
    final SimulatedNode node;
    private final World world;
    private final FunnelMaster master;
    private final long leaseNanos;
    private FunnelMirror mirror = new FunnelMirror();
    private Renewal renewal;
    private long asked;
    private long answered;
    private boolean isAskedForMore;

    FunnelMachine(SimulatedNode node, World world, FunnelMaster master, long leaseNanos) {
        this.node = node;
        this.world = world;
        this.master = master;
        this.leaseNanos = leaseNanos;
        again();
    }

    FunnelMirror mirror() {
        return mirror;
    }

    /** A process begins. */
    FunnelMirror boot() {
        mirror = new FunnelMirror();
        renewal = null;
        answered = asked;
        return mirror;
    }

    private void again() {
        world.after(leaseNanos / 3, () -> {
            answered = asked;
            ask();
            again();
        });
    }

    void events(List<Object> events) {
        for (Object event : events) {
            if (event instanceof FunnelEvent told) {
                master.event(node, told);
            }
            if (event instanceof FunnelEvent.Ask wanted) {
                boolean isFirst = renewal == null;
                renewal = wanted.renewal();
                if (wanted.now() || isFirst) {
                    ask();
                }
            }
        }
    }

    private void ask() {
        if (renewal == null || !node.isRunning() || node.clock().isSuspended()) {
            return;
        }
        if (asked != answered) {
            isAskedForMore = true;
            return;
        }
        long number = ++asked;
        int boot = node.boots();
        long at = node.clock().nanos();
        long atMillis = node.clock().wallMillis();
        isAskedForMore = false;
        master.ask(renewal, grant -> granted(number, boot, at, atMillis, grant));
    }

    /** The process has stopped in order. */
    void farewell() {
        if (renewal != null) {
            master.ask(renewal.farewell(), grant -> {});
        }
    }

    private void granted(long number, int boot, long at, long atMillis, Grant grant) {
        if (number == asked && answered != asked && node.boots() == boot && node.isRunning()) {
            answered = asked;
            node.command(FunnelProtocol.CHANNEL, new FunnelCommand.Granted(grant, at, atMillis));
            if (isAskedForMore) {
                ask();
            }
        }
    }
}
