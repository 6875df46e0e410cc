package io.georep.simulation;

import io.georep.model.StoreException;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Trouble of one machine: its processes, its disk and its clocks. */
final class NodeFaults {
    /** A disk that syncs in seconds is slow, however long its node may wait for it. */
    private static final long SYNC_SLOW = 2 * World.SECONDS;

    private final Nemesis nemesis;
    private final Map<SimulatedNode, SimulatedDisk.Image> images = new HashMap<>();

    NodeFaults(Nemesis nemesis) {
        this.nemesis = nemesis;
    }

    void happen(Fault kind, SimulatedNode node) {
        switch (kind) {
            case CRASH -> crash(kind, node, () -> nemesis.restart(node));
            case POWER_CUT -> nemesis.cluster.nodes().forEach(each -> crash(kind, each, () -> nemesis.restart(each)));
            case STOP -> stop(node);
            case WIPE, OLD_IMAGE -> lose(kind, node);
            case DEATH, REPLACE -> die(kind, node);
            case WRONG_IMAGE -> wrongImage(node);
            case PAUSE, SUSPEND -> pause(kind, node);
            case DEAF -> deafen(node);
            default -> step(node);
        }
    }

    void crash(Fault kind, SimulatedNode node, Runnable restart) {
        if (!node.isRunning() || !nemesis.cluster.mayCrash(node)) {
            return;
        }
        Trouble.Item item = nemesis.begin(kind, node);
        node.crash();
        nemesis.later(item, nemesis.spell(), () -> {
            if (!nemesis.cluster.isDead(node) && !node.isRunning()) {
                restart.run();
            }
        });
    }

    /** In an orderly way, and nobody is told: what was given to the store is there. */
    private void stop(SimulatedNode node) {
        if (node.isRunning()) {
            Trouble.Item item = nemesis.begin(Fault.STOP, node);
            node.stop();
            nemesis.later(item, nemesis.spell(), () -> nemesis.restart(node));
        }
    }

    private void lose(Fault kind, SimulatedNode node) {
        boolean isOlder = kind == Fault.OLD_IMAGE;
        if (isOlder && !images.containsKey(node)) {
            images.put(node, node.disk().image());
            if (nemesis.plan().inTurn()) {
                nemesis.later(nemesis.spell(), () -> lose(kind, node));
            }
        } else if (losesNow() && node.isRunning() && nemesis.mayLose(node, isOlder ? images.get(node) : null)) {
            nemesis.lost();
            crash(kind, node, () -> nemesis.restart(node));
            if (!node.isRunning()) {
                nemesis.cluster.replaceStore(node, isOlder ? images.remove(node) : null);
            }
        }
    }

    /** Not always, so that the few allowed losses are spread over the run. */
    private boolean losesNow() {
        return nemesis.hasLossesLeft() && nemesis.isBold();
    }

    private void die(Fault kind, SimulatedNode node) {
        if (losesNow() && node.isRunning() && nemesis.mayDie(node)) {
            nemesis.lost();
            nemesis.begin(kind, node);
            node.crash();
            nemesis.cluster.bury(node);
            if (kind == Fault.REPLACE) {
                replace(node);
            }
        }
    }

    /** An operator removes the dead node some time before or after the new one joins. */
    private void replace(SimulatedNode dead) {
        List<SimulatedNode> living = nemesis.cluster.nodes().stream()
                .filter(node -> !nemesis.cluster.isDead(node))
                .toList();
        SimulatedNode heir = nemesis.cluster.add();
        heir.seeds(living.get(0).address(), living.get(1).address());
        nemesis.later(nemesis.spell(), () -> nemesis.restart(heir));
        nemesis.later(
                nemesis.spell(),
                () -> living.get(nemesis.random.nextInt(living.size()))
                        .command(MembershipProtocol.CHANNEL, new MembershipCommand.Remove(dead.id())));
    }

    /** Somebody mounts the disk of another node: the process refuses it by name, and comes back with its own. */
    private void wrongImage(SimulatedNode node) {
        SimulatedNode other = nemesis.any();
        SimulatedDisk.Image foreign = other.disk().image();
        if (other == node || foreign.pairs().isEmpty() || !node.isRunning()) {
            return;
        }
        crash(Fault.WRONG_IMAGE, node, () -> nemesis.restart(node));
        SimulatedDisk.Image own = node.disk().image();
        node.disk().restore(foreign);
        try {
            node.start();
            throw new AssertionError(node + " starts with the store of " + other);
        } catch (StoreException e) {
            if (e.kind() != StoreException.Kind.FOREIGN) {
                throw e;
            }
        }
        node.disk().restore(own);
    }

    private void pause(Fault kind, SimulatedNode node) {
        if (node.isRunning() && !node.isPaused()) {
            Trouble.Item item = nemesis.begin(kind, node);
            if (kind == Fault.SUSPEND) {
                node.suspend(false);
            } else {
                node.pause();
            }
            nemesis.later(item, nemesis.spell(), () -> {
                if (node.isRunning() && node.isPaused()) {
                    node.resume();
                }
            });
        }
    }

    private void deafen(SimulatedNode node) {
        if (node.isRunning() && !node.threads().isStill()) {
            Trouble.Item item = nemesis.begin(Fault.DEAF, node);
            IoThreads threads = node.threads();
            threads.standStill();
            nemesis.later(item, nemesis.spell(), threads::goOn);
        }
    }

    private void step(SimulatedNode node) {
        long most = nemesis.plan().stepMaxMillis().applyAsLong(nemesis.random);
        nemesis.cluster.coverage().met(Fault.CLOCK_STEP);
        node.clock().step(nemesis.random.nextLong(-most, most));
    }

    void toDisk(Fault kind, SimulatedNode node) {
        Trouble.Item item = nemesis.begin(kind, node);
        SimulatedDisk disk = node.disk();
        switch (kind) {
            case DISK_FULL -> {
                disk.full(true);
                nemesis.later(item, nemesis.spell(), () -> disk.full(false));
            }
            case DISK_HANG -> {
                int what = nemesis.random.nextInt(4);
                disk.hang(what != 1, what != 2);
                nemesis.later(item, nemesis.spell(), () -> {
                    disk.hang(false, false);
                    nemesis.restart(node);
                });
            }
            case DISK_SLOW -> {
                // As slow as a disk may be without being given up, and not slower than disks are found to be.
                long nanos = 1 + nemesis.random.nextLong(Math.min(nemesis.plan().diskSlowMax(), 2 * SYNC_SLOW));
                disk.speed(new SimulatedDisk.Speed(nanos / 2, nanos, nanos));
                nemesis.later(item, nemesis.spell(), disk::mend);
            }
            default -> {
                disk.breakDown();
                nemesis.later(item, nemesis.spell(), () -> nemesis.restart(node));
            }
        }
    }
}
