package io.georep;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.protocol.BootKind;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.runtime.ChangeLines;
import io.georep.runtime.ClockSteps;
import io.georep.runtime.FrameIntake;
import io.georep.runtime.NodeLoop;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs one line for each change of state that an operator may want to find again. The text names everything. The same
 * ids are key-value pairs {@code georep.*}, with {@code georep.event} first, for logs that are searched by field. All
 * lines come from one logger with a name of its own, so that they can be routed. Thread-safe.
 */
final class ChangeLog {
    private static final String PEER = ChangeLines.PEER;

    private final String node;
    private final ChangeLines lines;

    ChangeLog(String node) {
        this(new ChangeLines(node));
    }

    /** Writes to another logger: for tests. */
    ChangeLog(String node, Logger log) {
        this(new ChangeLines(node, log));
    }

    private ChangeLog(ChangeLines lines) {
        this.node = lines.node();
        this.lines = lines;
    }

    private LoggingEventBuilder line(Level level, String event) {
        return lines.line(level, event);
    }

    void started(NodeIdentity identity) {
        line(Level.INFO, "started")
                .addKeyValue("georep.site", identity.site())
                .addKeyValue("georep.incarnation", identity.incarnation())
                .log(
                        "Node {} (site {}) runs at {} as incarnation {}",
                        node,
                        identity.site(),
                        identity.address(),
                        identity.incarnation());
    }

    void leaving(Duration expectedAway) {
        line(Level.INFO, "leaving")
                .addKeyValue("georep.away", expectedAway)
                .log("Node {} leaves, expected away for {}", node, expectedAway);
    }

    void stopped() {
        line(Level.INFO, "stopped").log("Node {} is stopped", node);
    }

    void failed(Throwable cause) {
        line(Level.ERROR, "failed")
                .log(
                        "Node {} was stopped by an error: {}; other nodes adopt its entries. Fix the cause, then start it"
                                + " again",
                        node,
                        cause.toString());
    }

    void store(NodeLoop.StoreChanged changed) {
        boolean takes = changed.after().takesEntries();
        line(takes ? Level.INFO : Level.WARN, "store-state")
                .addKeyValue("georep.before", changed.before())
                .addKeyValue("georep.after", changed.after())
                .log(
                        "Node {} takes {}new entries and copies: its store is {} after {}; {}",
                        node,
                        takes ? "" : "no ",
                        changed.after(),
                        changed.before(),
                        changed.why());
    }

    void clockStepped(ClockSteps.Stepped stepped) {
        long seconds = stepped.byMillis() / 1000;
        line(Level.WARN, "clock-stepped")
                .addKeyValue("georep.seconds", seconds)
                .log(
                        "Node {}: its wall clock stepped by {} s: it was set, or the machine was suspended. Delays and times to"
                                + " live follow it. Keep the clocks in step",
                        node,
                        seconds);
    }

    void frameRefused(FrameIntake.Refused refused) {
        LoggingEventBuilder line = line(Level.ERROR, "frame-refused")
                .addKeyValue(PEER, refused.from().id())
                .addKeyValue("georep.address", refused.from().address());
        if (refused.fault() != null) {
            line = line.setCause(refused.fault());
        }
        line.log(
                "Node {} closed the link from {} at {}: {}. It is dialled again; if this repeats, compare the versions of"
                        + " the two nodes",
                node,
                refused.from().id(),
                refused.from().address(),
                refused.reason());
    }

    void messageIgnored(FrameIntake.Ignored ignored) {
        boolean newer = ignored.ours() > 0;
        line(newer ? Level.INFO : Level.WARN, "message-ignored")
                .addKeyValue(PEER, ignored.from().id())
                .addKeyValue("georep.address", ignored.from().address())
                .addKeyValue("georep.channel", ignored.channel())
                .log(
                        "Node {} ignores what {} at {} sends on channel {} (message type {}), and all of that kind to"
                                + " come: {}",
                        node,
                        ignored.from().id(),
                        ignored.from().address(),
                        ignored.channel(),
                        ignored.type(),
                        newer
                                ? "the sender's protocol there is of version " + ignored.theirs()
                                        + ", that of this node of version " + ignored.ours()
                                        + "; upgrade this node to have it understood"
                                : "this node hosts no protocol there, or none that takes anything from nodes that are"
                                        + " not its peers; add that protocol to this node, or compare the software of the"
                                        + " two nodes");
    }

    void otherProtocol(FrameIntake.OtherProtocol other) {
        line(Level.WARN, "other-protocol")
                .addKeyValue(PEER, other.process().id())
                .addKeyValue("georep.address", other.process().address())
                .addKeyValue("georep.channel", other.channel())
                .log(
                        "Node {} and {} at {} have different protocols on channel {}: '{}' here, '{}' there. Neither is"
                                + " sent anything of the other's. Give one of the two another number, on all nodes",
                        node,
                        other.process().id(),
                        other.process().address(),
                        other.channel(),
                        other.ours(),
                        other.theirs());
    }

    /** Logs an event of the membership, except {@code Left}, which is no change of state. */
    void membership(MembershipEvent event) {
        if (event instanceof MembershipEvent.StateChanged changed) {
            peer(changed);
        } else if (event instanceof MembershipEvent.Drained drained) {
            drained(drained.peer(), drained.on());
        } else if (event instanceof MembershipEvent.Removed removed) {
            removed(removed.peer());
        } else if (event instanceof MembershipEvent.Conflict conflict) {
            conflict(conflict);
        } else if (event instanceof MembershipEvent.StaleStore stale) {
            staleStore(stale);
        } else if (event instanceof MembershipEvent.Settled settled) {
            settled(settled.cluster());
        } else if (event instanceof MembershipEvent.Foreign foreign) {
            foreign(foreign);
        } else if (event instanceof MembershipEvent.DecisionIgnored ignored) {
            decisionIgnored(ignored);
        } else if (event instanceof MembershipEvent.ClockOff off) {
            clockOff(off);
        } else if (event instanceof MembershipEvent.Refused refused) {
            refused(refused);
        }
    }

    private void peer(MembershipEvent.StateChanged changed) {
        LoggingEventBuilder line = line(isMissing(changed) ? Level.WARN : Level.INFO, "peer-state")
                .addKeyValue(PEER, changed.peer())
                .addKeyValue("georep.site", changed.site())
                .addKeyValue("georep.after", changed.after());
        if (changed.before() != null) {
            line = line.addKeyValue("georep.before", changed.before());
        }
        line.log(
                "Node {} sees {} (site {}): {} -> {}",
                node,
                changed.peer(),
                changed.site(),
                changed.before() == null ? "unknown" : changed.before(),
                changed.after());
    }

    /** Returns whether the peer is silent without having said so, or has not come back as it said. */
    private static boolean isMissing(MembershipEvent.StateChanged changed) {
        return changed.after() == PeerState.SCHRODINGER
                || (changed.after() == PeerState.TERMINATED
                        && (changed.before() == PeerState.SCHRODINGER || changed.before() == PeerState.ARNOLD));
    }

    private void drained(NodeId peer, boolean on) {
        line(Level.INFO, on ? "drained" : "undrained")
                .addKeyValue(PEER, peer)
                .log("Node {} knows {} as {}", node, peer, on ? "drained" : "no longer drained");
    }

    private void removed(NodeId peer) {
        line(Level.WARN, "removed")
                .addKeyValue(PEER, peer)
                .log("Node {}: an operator removed {} from the cluster", node, peer);
    }

    private void conflict(MembershipEvent.Conflict conflict) {
        line(Level.ERROR, "conflict")
                .addKeyValue(PEER, conflict.id())
                .log("Node {}: id {} is used twice: {}", node, conflict.id(), conflict.detail());
    }

    private void staleStore(MembershipEvent.StaleStore stale) {
        line(Level.WARN, "stale-store")
                .addKeyValue("georep.incarnation", stale.incarnation())
                .log(
                        "Node {}: peers know a later life of this node than its data directory does ({}); it goes on as"
                                + " incarnation {} and asks them about its entries before it hands any out",
                        node,
                        stale.kind() == BootKind.FRESH ? "the directory is new" : "was an older copy restored?",
                        stale.incarnation());
    }

    private void settled(String cluster) {
        line(Level.INFO, "cluster-settled")
                .addKeyValue("georep.cluster", cluster)
                .log("Node {} belongs to cluster {} and takes nothing from another one", node, cluster);
    }

    private void foreign(MembershipEvent.Foreign foreign) {
        line(Level.WARN, "foreign-cluster")
                .addKeyValue(PEER, foreign.id())
                .addKeyValue("georep.address", foreign.address())
                .log("Node {} met another cluster of its name: {}", node, foreign.detail());
    }

    private void decisionIgnored(MembershipEvent.DecisionIgnored ignored) {
        line(Level.WARN, "decision-ignored")
                .addKeyValue(PEER, ignored.peer())
                .addKeyValue("georep.address", ignored.address())
                .log(
                        "Node {} does not believe {} at {}, which may not decide over other nodes: {}. If its operator did"
                                + " not try this, somebody else may have its key: revoke its certificate",
                        node,
                        ignored.peer(),
                        ignored.address(),
                        ignored.detail());
    }

    private void clockOff(MembershipEvent.ClockOff off) {
        long seconds = off.aheadMillis() / 1000;
        line(off.on() ? Level.WARN : Level.INFO, off.on() ? "clock-off" : "clock-right")
                .addKeyValue(PEER, off.peer())
                .addKeyValue("georep.seconds", seconds)
                .log(
                        off.on()
                                ? "Node {}: the wall clock of {} is {} s ahead of that of this node (behind, if negative)."
                                        + " Delays and times to live follow it. Set the wrong one right: if nodes say this of"
                                        + " one node only, it is that one's; keep all in step, for example by NTP"
                                : "Node {}: the wall clock of {} is {} s ahead of that of this node: they are in step"
                                        + " again",
                        node,
                        off.peer(),
                        seconds);
    }

    private void refused(MembershipEvent.Refused refused) {
        line(Level.WARN, "refused")
                .addKeyValue("georep.address", refused.address())
                .log("Node {} was refused by {}: {}", node, refused.address(), refused.reason());
    }
}
