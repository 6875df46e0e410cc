package io.georep.simulation;

import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import java.time.Duration;
import java.util.List;

/** What operators do, and what they do wrong. */
final class OperatorFaults {
    private final Nemesis nemesis;

    OperatorFaults(Nemesis nemesis) {
        this.nemesis = nemesis;
    }

    void happen(Fault kind, SimulatedNode node) {
        switch (kind) {
            case LEAVE -> leave(node);
            case LEAVE_AGAIN -> leaveAgain(node);
            case DRAIN -> drain(kind, node);
            case REMOVE -> remove(node);
            case MOVE -> move(node);
            default -> {
                for (int i = 2 + nemesis.random.nextInt(3); i > 0; i--) {
                    order(kind, node);
                }
            }
        }
    }

    private void leave(SimulatedNode node) {
        if (!node.isListening() || nemesis.cluster.isLeaving(node)) {
            return;
        }
        Trouble.Item item = nemesis.begin(Fault.LEAVE, node);
        long away = nemesis.spell();
        long late = nemesis.plan().settlingNanos() * 3 / 4;
        long back = switch (nemesis.random.nextInt(3)) {
            case 0 -> away / 2;
            case 1 -> away;
            default -> away + late;
        };
        nemesis.cluster.leave(node, Duration.ofNanos(away));
        nemesis.later(item, back + 5 * World.SECONDS, () -> nemesis.restart(node));
    }

    /** The second time holds, also if it is said by the next process. */
    private void leaveAgain(SimulatedNode node) {
        if (!node.isListening() || nemesis.cluster.isLeaving(node)) {
            return;
        }
        Trouble.Item item = nemesis.begin(Fault.LEAVE_AGAIN, node);
        long away = nemesis.spell();
        long then = nemesis.random.nextInt(3) == 0 ? 1 + away / 3 : 2 * away;
        nemesis.cluster.leave(node, Duration.ofNanos(away));
        if (nemesis.random.nextBoolean()) {
            nemesis.cluster.leave(node, Duration.ofNanos(then));
        } else {
            nemesis.later(away / 2, () -> nemesis.restart(node));
            nemesis.later(away / 2 + 5 * World.SECONDS, () -> {
                if (node.isListening() && !nemesis.cluster.isLeaving(node)) {
                    nemesis.cluster.leave(node, Duration.ofNanos(then));
                }
            });
        }
        nemesis.later(item, 2 * away + 10 * World.SECONDS, () -> nemesis.restart(node));
    }

    /** Any order of any operator, whatever state the nodes are in, of whom some may be dead. */
    private void order(Fault kind, SimulatedNode node) {
        SimulatedNode operator = nemesis.any();
        switch (nemesis.plan().inTurn() ? nemesis.random.nextInt(4) : 0) {
            case 1 ->
                operator.command(
                        MembershipProtocol.CHANNEL,
                        new MembershipCommand.JoinClusterOf(nemesis.any().id()));
            case 2 -> nemesis.cluster.removeDead(operator);
            default -> drain(kind, node);
        }
    }

    private void drain(Fault kind, SimulatedNode node) {
        SimulatedNode operator = nemesis.any();
        if (operator.isRunning()) {
            boolean on = nemesis.random.nextInt(3) > 0;
            nemesis.cluster.coverage().met(kind);
            nemesis.end(nemesis.begin(Fault.DRAIN, node));
            operator.command(MembershipProtocol.CHANNEL, new MembershipCommand.Drain(node.id(), on));
        }
    }

    /** Of the dead, or of one who lives on for a moment. */
    private void remove(SimulatedNode node) {
        List<SimulatedNode> others = nemesis.cluster.nodes().stream()
                .filter(other -> other != node && other.isRunning())
                .toList();
        boolean isDead = nemesis.cluster.isDead(node);
        if (others.isEmpty()) {
            return;
        }
        if (!isDead && (nemesis.alive() <= 2 || !nemesis.isBold() || !nemesis.mayDie(node))) {
            return;
        }
        SimulatedNode operator = others.get(nemesis.random.nextInt(others.size()));
        if (node.isRunning()) {
            nemesis.cluster.wings().forEach(wing -> wing.removing(node));
        }
        operator.command(MembershipProtocol.CHANNEL, new MembershipCommand.Remove(node.id()));
        nemesis.begin(Fault.REMOVE, node);
        if (!isDead) {
            nemesis.lost();
            nemesis.world.after(nemesis.random.nextLong(World.SECONDS), () -> {
                if (node.isRunning()) {
                    node.crash();
                }
                nemesis.cluster.bury(node);
            });
        }
    }

    /** The first two machines are the seeds: everybody finds the others through them. */
    private void move(SimulatedNode node) {
        if (nemesis.cluster.nodes().indexOf(node) >= 2) {
            nemesis.crash(Fault.MOVE, node, () -> {
                node.move(node.id() + ":" + (2 + node.boots()));
                node.start();
            });
        }
    }
}
