package io.georep.flagons.core;

import io.georep.codec.BinReader;
import io.georep.flagons.FleetConsistency;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.Membership;
import io.georep.runtime.Input;
import io.georep.simulation.Machines;
import io.georep.simulation.NodeSoftware;
import io.georep.simulation.SimulatedDisk;
import io.georep.simulation.SimulatedNode;
import io.georep.simulation.Wing;
import io.georep.simulation.World;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A fleet on machines that others use as well: as real nodes, over links of their own choice, with what they have on disk. Clients
 * ask any node, and another one under the same name if there is no answer. {@link WingJudge} says what must be so.
 */
public final class FleetWing implements Wing {
    private static final int KEYS = 10;
    /** A request of a client, and how many members are to answer alike. */
    private record Ask(FleetOperation operation, FleetConsistency consistency, int quorum) {}

    private final Machines machines;
    private final World world;
    private final RandomGenerator random;
    private final FleetSettings settings;
    private final boolean isAlone;
    private final boolean isFounded;
    private final long gapMax;

    /** Of each request. */
    private final long deadlineMillis;

    private final FleetRules rules;
    private final WingJudge judge;
    private final Map<Ask, SimulatedNode> probes = new LinkedHashMap<>();
    private long requests;
    private long claims;
    private boolean rests;

    /**
     * On these machines.
     *
     * @param roundMillis from one ball to the next; all times of the fleet depend on it
     * @param isAlone whether nobody else uses the machines, so that they need not know each other otherwise
     */
    public FleetWing(Machines machines, long roundMillis, boolean isAlone) {
        this(machines, roundMillis, isAlone, new FleetRules());
    }

    /** With rules of which one may be a planted error. */
    FleetWing(Machines machines, long roundMillis, boolean isAlone, FleetRules rules) {
        this.machines = machines;
        this.isAlone = isAlone;
        this.rules = rules;
        world = machines.world();
        random = world.random("fleet");
        settings = FleetSettings.hardened(40, roundMillis);
        isFounded = random.nextInt(4) > 0;
        gapMax = (1 + random.nextInt(isAlone ? 2 : 6)) * World.SECONDS;
        deadlineMillis = 4 * settings.horizon();
        judge = new WingJudge(machines);
    }

    @Override
    public String name() {
        return "fleet";
    }

    @Override
    public void joins(SimulatedNode node) {
        if (isAlone) {
            node.seeds(node.address());
        }
    }

    @Override
    public List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership) {
        SimulatedNode node = machines.node(boot.id());
        WingJudge.Delivered delivered = judge.boots(node);
        return List.of(new FleetProtocol(settings, seeds(node), membership, event -> true, delivered::next, rules));
    }

    /** The first one begins the fleet in its first life; if none does, they agree after a while that nobody has anything. */
    private List<String> seeds(SimulatedNode node) {
        List<String> seeds = new ArrayList<>();
        boolean founds =
                isFounded && node.boots() == 1 && node == machines.nodes().get(0);
        for (SimulatedNode other : machines.nodes()) {
            if (!founds && other != node && !machines.isDead(other) && seeds.size() < 3) {
                seeds.add(other.address());
            }
        }
        return seeds;
    }

    /** Returns the fleet's node of a process; null if it has had no turn yet. */
    static @Nullable FleetNode node(SimulatedNode machine) {
        return Machines.protocol(machine, FleetProtocol.class).inspect();
    }

    @Override
    public void begin() {
        world.after(1 + random.nextLong(gapMax), () -> {
            if (!rests) {
                ask(draw(), 2);
                begin();
            }
        });
    }

    private Ask draw() {
        int draw = random.nextInt(20);
        FleetOperation.Kind kind = draw < 8
                ? FleetOperation.Kind.GET
                : draw < 15
                        ? FleetOperation.Kind.PUT
                        : draw < 17 ? FleetOperation.Kind.REMOVE : FleetOperation.Kind.PUT_IF_ABSENT;
        FleetConsistency consistency = FleetConsistency.values()[Math.min(2, random.nextInt(5))];
        String key =
                kind == FleetOperation.Kind.PUT_IF_ABSENT ? "claim" + (claims++ / 3) : "key" + random.nextInt(KEYS);
        FleetOperation operation = operation(kind, key);
        boolean mayBeTwo = consistency == FleetConsistency.ORDERED || operation.changes();
        return new Ask(operation, consistency, mayBeTwo && random.nextInt(3) == 0 ? 2 : 1);
    }

    private FleetOperation operation(FleetOperation.Kind kind, String key) {
        RequestId request = new RequestId(7, requests++);
        boolean puts = kind == FleetOperation.Kind.PUT || kind == FleetOperation.Kind.PUT_IF_ABSENT;
        FleetOperation operation =
                new FleetOperation(request, kind, Slice.utf8(key), puts ? Slice.utf8("v" + request.number()) : null);
        return operation;
    }

    /** Asks somebody, and others later if there is no answer. */
    private void ask(Ask ask, int again) {
        SimulatedNode machine = machines.any(random);
        ask(machine, ask);
        if (again > 0 && random.nextBoolean()) {
            world.after(deadlineMillis * World.MILLIS, () -> {
                if (!rests && !judge.isAnswered(ask.operation.request())) {
                    ask(ask, again - 1);
                }
            });
        }
    }

    private void ask(SimulatedNode machine, Ask ask) {
        judge.asked(ask.operation, ask.quorum);
        machine.command(
                FleetProtocol.CHANNEL,
                new FleetCommand.Submit(
                        ask.operation, ask.consistency, OrderKey.FIRST, ask.quorum, deadlineMillis, ask.operation));
    }

    @Override
    public void turning(SimulatedNode node, List<Input> inputs) {
        for (Input input : inputs) {
            if (input instanceof Input.StrangerFrame frame && frame.channel() == FleetProtocol.CHANNEL) {
                BinReader in = new BinReader(Slice.of(frame.bytes()));
                int type = in.u8();
                if (type == FleetCodec.ANSWER) {
                    judge.heard(node, frame.from().id(), (FleetMessage.Answer) FleetCodec.read(type, in));
                }
            }
        }
    }

    /** A call ends by its deadline at the latest, in whatever state its node is. */
    @Override
    public void turned(SimulatedNode node) {
        if (node.isRunning()) {
            long now = Math.floorDiv(node.clock().nanos(), World.MILLIS);
            Machines.protocol(node, FleetProtocol.class)
                    .waiting()
                    .forEach(each -> judge.waits(node, each, now - 2 * settings.roundMillis()));
        }
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        for (Object event : events) {
            if (event instanceof FleetEvent.Passed passed) {
                judge.passed(passed.event());
            } else if (event instanceof FleetEvent.Answered answered
                    && answered.token() instanceof FleetOperation its) {
                judge.answered(node, its, answered.outcome());
            }
        }
    }

    @Override
    public void destroyed(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        judge.destroyed(node, image);
    }

    @Override
    public void rest() {
        rests = true;
        machines.nodes().forEach(node -> node.clock().setRight());
        world.after(5 * World.SECONDS, () -> machines.running().forEach(this::giveSeeds));
    }

    /** An operator starts those anew who met nobody before all whom they knew were gone for good. */
    private void giveSeeds(SimulatedNode machine) {
        FleetNode node = node(machine);
        if (node != null && node.isLonely()) {
            machine.stop();
            machine.start();
        }
    }

    @Override
    public long successes() {
        return judge.successes();
    }

    @Override
    public @Nullable String unsettled() {
        return judge.unsettled();
    }

    /** Then each node does what it is asked for; a minute later if it just found how much it had missed. */
    @Override
    public void settled() {
        Wing.super.settled();
        int quorum = Math.min(2, machines.running().size());
        for (SimulatedNode machine : machines.running()) {
            for (FleetOperation.Kind kind : List.of(FleetOperation.Kind.PUT, FleetOperation.Kind.GET)) {
                FleetOperation operation = operation(kind, "key" + random.nextInt(KEYS));
                Ask probe = new Ask(operation, FleetConsistency.ORDERED, quorum);
                probes.put(probe, machine);
                ask(machine, probe);
            }
        }
        if (!areAnswered()) {
            world.run(60 * World.SECONDS);
            probes.forEach((probe, machine) -> {
                if (!judge.isAnswered(probe.operation.request())) {
                    ask(machine, probe);
                }
            });
            areAnswered();
        }
        for (Ask probe : probes.keySet()) {
            if (!judge.isAnswered(probe.operation.request())) {
                throw new AssertionError("fleet: nobody answers " + probe + " although nothing is wrong");
            }
        }
        judge.judgeGets(probes.keySet().stream().map(Ask::operation).toList());
        world.run(4 * settings.horizon() * World.MILLIS);
        Wing.super.settled();
    }

    private boolean areAnswered() {
        return world.runUntil(
                () -> probes.keySet().stream().allMatch(each -> judge.isAnswered(each.operation.request())),
                3 * deadlineMillis * World.MILLIS);
    }

    @Override
    public String toString() {
        return "fleet: " + judge;
    }
}
