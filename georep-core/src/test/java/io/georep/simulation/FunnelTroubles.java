package io.georep.simulation;

import io.georep.linear.Operation.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** What only replicated maps suffer: trouble of the master and on the way to it, of chosen members, and of several stores at once. */
final class FunnelTroubles {
    private static final long CUT_OFF_MAX = 4 * World.SECONDS;
    private static final long SLOW_LOG_MAX = World.SECONDS / 2;
    private static final int ROLL_BACK_TRIES = 12;
    private static final int FLOOD_MIN = 1_000;

    /** What settings must allow for a flood. */
    static final int FLOOD_UNCOMMITTED = 4 * FLOOD_MIN;

    private final FunnelWing wing;
    private final Nemesis nemesis;
    private final RandomGenerator random;
    private int floodsLeft = 1;
    private int rollBacksLeft = 3;
    private int forgetsLeft = 1;

    FunnelTroubles(FunnelWing wing, Nemesis nemesis) {
        this.wing = wing;
        this.nemesis = nemesis;
        random = nemesis.random;
    }

    /** All kinds; floods where settings allow them. */
    List<Nemesis.Special> all() {
        List<Nemesis.Special> kinds = new ArrayList<>(List.of(
                new Nemesis.Special("CRASH_TAIL", node -> crash(member(true, node))),
                new Nemesis.Special("CRASH_HEAD", node -> crash(member(false, node))),
                new Nemesis.Special("ROLL_BACK", this::rollBack),
                new Nemesis.Special("MASTER_AWAY", node -> wing.master().fail(random.nextLong(3 * World.SECONDS))),
                new Nemesis.Special("MASTER_CHANGES", node -> wing.master().changeLeader()),
                new Nemesis.Special("MASTER_SPLIT", node -> wing.master().cutOffWithLeader(node.id())),
                new Nemesis.Special("MASTER_SLOW", node -> {
                    wing.master().slowLog(random.nextLong(SLOW_LOG_MAX));
                    nemesis.later(
                            1 + random.nextLong(CUT_OFF_MAX),
                            () -> wing.master().slowLog(0));
                }),
                new Nemesis.Special("CUT_OFF", node -> {
                    wing.master().cutOff(node.id());
                    nemesis.later(1 + random.nextLong(CUT_OFF_MAX), wing.master()::heal);
                })));
        if (wing.shape().settings().uncommittedMax() == FLOOD_UNCOMMITTED) {
            kinds.add(new Nemesis.Special("FLOOD", this::flood));
        }
        kinds.add(new Nemesis.Special("MASTER_FORGETS", this::forget));
        return kinds;
    }

    /**
     * Nobody reaches anybody, and one of them not the master either. So it decides a view that cannot begin, tells the others, and
     * forgets all. As soon as the stores tell enough, an operator orders that the view is restored.
     */
    private void forget(SimulatedNode out) {
        if (forgetsLeft == 0 || !wing.mayForget()) {
            return;
        }
        forgetsLeft--;
        long lease = wing.shape().settings().lease().toNanos();
        long apart = 3 * lease + random.nextLong(3 * lease);
        for (int i = 0; i < wing.nodes().size(); i++) {
            new LinkFaults(nemesis).partition(1 << i, random.nextBoolean(), apart);
        }
        wing.master().cutOff(out.id());
        nemesis.later(lease + random.nextLong(lease), () -> {
            if (wing.mayForget()) {
                wing.master().loseDirectories();
            }
            wing.master().heal();
            restore(lease / 10);
        });
    }

    private void restore(long every) {
        wing.restoreView();
        nemesis.later(every, () -> restore(every));
    }

    private void crash(SimulatedNode node) {
        nemesis.crash(Fault.CRASH, node);
    }

    /** More writes of one node than one message names. */
    private void flood(SimulatedNode node) {
        if (floodsLeft-- <= 0 || !node.isListening()) {
            return;
        }
        int count = FLOOD_MIN + random.nextInt(FLOOD_MIN);
        for (int i = 0; i < count; i++) {
            String value = "<" + i + "f>";
            wing.judge().attempt(new FunnelCall(Kind.PUT, "f" + random.nextInt(FLOOD_MIN), value, null), node);
        }
    }

    private SimulatedNode member(boolean isTail, SimulatedNode other) {
        var view = wing.master().view();
        if (view == null) {
            return other;
        }
        return nemesis.cluster.node(isTail ? view.tail() : view.members().get(0));
    }

    /**
     * Disks are copied while their nodes run on. These die a while later, in every second case together with all others, and
     * begin again with the copies, sooner than the others.
     */
    private void rollBack(SimulatedNode first) {
        Map<SimulatedNode, SimulatedDisk.Image> copies = new LinkedHashMap<>();
        copies.put(first, first.disk().image());
        for (SimulatedNode node : wing.nodes()) {
            if (random.nextInt(4) == 0) {
                copies.put(node, node.disk().image());
            }
        }
        if (nemesis.cluster.wings().size() > 1) {
            copies.keySet().forEach(this::crash); // some wings allow an older image only if there was a process since
        }
        rollBack(copies, random.nextBoolean() && !wing.shape().isVolatile(), ROLL_BACK_TRIES);
    }

    private void rollBack(Map<SimulatedNode, SimulatedDisk.Image> copies, boolean isPowerCut, int tries) {
        nemesis.later(1 + random.nextLong(World.SECONDS / 2), () -> {
            List<SimulatedNode> some = new ArrayList<>(copies.keySet());
            if (rollBacksLeft == 0 || tries == 0) {
                return;
            }
            if (!some.stream().allMatch(node -> mayRollBack(node, copies.get(node))) || !wing.mayRollBack(some)) {
                rollBack(copies, isPowerCut, tries - 1);
                return;
            }
            rollBacksLeft--;
            for (SimulatedNode node : some) {
                if (!mayRollBack(node, copies.get(node))) {
                    continue; // not after what was taken from the ones before it
                }
                Trouble.Item item = nemesis.begin(Fault.OLD_IMAGE, node, null);
                node.crash();
                nemesis.cluster.replaceStore(node, copies.get(node));
                nemesis.later(item, 1 + random.nextLong(World.SECONDS), () -> nemesis.restart(node));
            }
            if (isPowerCut) {
                wing.nodes().forEach(this::crash);
            }
        });
    }

    /** Whether it runs, and the other wings can do without what it has stored since. */
    private boolean mayRollBack(SimulatedNode node, SimulatedDisk.Image image) {
        return node.isRunning()
                && nemesis.cluster.wings().stream()
                        .allMatch(each -> each == wing || (each.mayLose(node, true) && each.mayRollBack(node, image)));
    }
}
