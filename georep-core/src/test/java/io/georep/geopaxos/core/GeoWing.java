package io.georep.geopaxos.core;

import io.georep.consensus.LogTiming;
import io.georep.geopaxos.OrderedMapsLayout;
import io.georep.geopaxos.core.execution.CallerReads;
import io.georep.geopaxos.core.execution.Planted;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.Membership;
import io.georep.simulation.Machines;
import io.georep.simulation.Nemesis;
import io.georep.simulation.NodeSoftware;
import io.georep.simulation.SimulatedDisk;
import io.georep.simulation.SimulatedNode;
import io.georep.simulation.Wing;
import io.georep.simulation.World;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * GeoPaxos+ with an ordered map on nodes that others use as well: {@link WingClients} read and write, a {@link GeoJudge} watches. The
 * nodes that are there from the beginning host it; those with limited certificates vote in no group.
 */
public final class GeoWing implements Wing {
    private static final int GROUPS = 3;
    private static final int MEMBERS_MAX = 5;

    private final Machines machines;
    private final Predicate<SimulatedNode> isLimited;
    private final Supplier<Rules> rules;
    private final LogTiming timing;
    private final int snapshotEvery;
    private final boolean isFlawed;
    private final boolean isLarge;
    private final boolean isAlone;
    private final long placementPeriod;
    private final List<NodeId> names = new ArrayList<>();

    /** Those of them that the settings do not name. */
    private final List<NodeId> unnamed = new ArrayList<>();

    private final List<List<NodeId>> founders = new ArrayList<>();
    private final WingClients clients;
    private final WingCallers callers = new WingCallers(this);
    private final WingClock clock;
    private final WingStores stores;
    private final WingOperator operator;
    private final boolean isOperated;
    private final HastyBoots hasty;
    private @Nullable Nemesis nemesis;
    private @Nullable GeoJudge<OrderedMapService> judge;

    /**
     * On these machines.
     *
     * @param isLimited which of them have limited certificates
     * @param slower all times of the groups are so many times as long as a run of a minute asks for
     */
    public GeoWing(Machines machines, Predicate<SimulatedNode> isLimited, int slower) {
        this(machines, isLimited, slower, null);
    }

    /** With one of the {@link Planted} errors. */
    public GeoWing(Machines machines, Predicate<SimulatedNode> isLimited, int slower, @Nullable String error) {
        this.machines = machines;
        this.isLimited = isLimited;
        isFlawed = error != null;
        rules = error == null ? Rules::new : Planted.valueOf(error).rules;
        long heartbeat = slower * World.SECONDS / 4;
        timing = new LogTiming(heartbeat, 8 * heartbeat, heartbeat / 4, 12 * heartbeat);
        RandomGenerator random = machines.world().random("geopaxos");
        snapshotEvery = 8 << random.nextInt(6);
        isLarge = random.nextBoolean();
        long gapMax = 200 * World.MILLIS + random.nextLong(2 * World.SECONDS);
        isAlone = slower == 1; // where much is cheap
        clients = new WingClients(this, random, isAlone ? gapMax / 4 : gapMax, 16 * heartbeat, isAlone);
        clock = new WingClock(this, random, clients);
        operator = new WingOperator(this, machines);
        isOperated = isAlone && machines.world().random("operated").nextInt(3) > 0;
        stores = new WingStores(this, machines);
        hasty = new HastyBoots(machines.world());
        placementPeriod = machines.world().random("placement").nextInt(4) == 0 ? 0 : 8 * heartbeat;
    }

    World world() {
        return machines.world();
    }

    static GeoPaxosProtocol protocol(SimulatedNode node) {
        return Machines.protocol(node, GeoPaxosProtocol.class);
    }

    GeoJudge<OrderedMapService> judge() {
        return judge;
    }

    List<List<NodeId>> founders() {
        return founders;
    }

    /** Returns how many groups there are. */
    int groups() {
        return judge == null ? GROUPS : judge.groups();
    }

    /** Returns the set of all groups. */
    int allGroups() {
        return GeoGroups.all(groups());
    }

    /** The nodes that host it, running or not. */
    List<SimulatedNode> hosting() {
        return machines.nodes().subList(0, names.size());
    }

    /** Any of them. */
    SimulatedNode any(RandomGenerator random) {
        return hosting().get(random.nextInt(names.size()));
    }

    /** Whether clients may ask a node. */
    boolean serves(SimulatedNode node) {
        return hosting().contains(node) && node.isListening() && !isLimited.test(node);
    }

    /** Whether a node has no part in the groups, as it knows. */
    boolean isOutside(SimulatedNode node) {
        return !protocol(node).node().membership().takesPart(node.id());
    }

    void look(Collection<Slice> keys) {
        callers.look(keys);
    }

    /** Whether a node believes to have the lease of one of these groups. */
    boolean isLeased(SimulatedNode node, int groups) {
        GeoPaxos core = protocol(node).node();
        for (int group = 0; group < core.groups(); group++) {
            if ((groups >> group & 1) != 0
                    && core.rules().hasLease(core.log(group), node.clock().nanos())) {
                return true;
            }
        }
        return false;
    }

    long lease() {
        return timing.lease();
    }

    void command(SimulatedNode node, GeoCommand command) {
        node.command(GeoPaxosProtocol.CHANNEL, command);
    }

    @Override
    public String name() {
        return "geopaxos";
    }

    /** Each group is at home with another node. */
    private void found() {
        List<NodeId> members = new ArrayList<>();
        for (SimulatedNode node : machines.nodes()) {
            names.add(node.id());
            if (!isLimited.test(node)) {
                members.add(node.id());
            }
        }
        if (isOperated && members.size() > 3) {
            unnamed.add(members.remove(members.size() - 1));
        }
        int size = Math.min(members.size(), isLarge ? MEMBERS_MAX : 3);
        RandomGenerator small = machines.world().random("small groups");
        boolean isSmall = small.nextInt(4) == 0;
        for (int group = 0; group < GROUPS; group++) {
            List<NodeId> founding = new ArrayList<>(members);
            Collections.rotate(founding, -group);
            founders.add(List.copyOf(founding.subList(0, isSmall ? 1 + small.nextInt(size) : size)));
        }
        judge = new GeoJudge<>(founders, Bank.map(), null);
        judge.onFirst = (body, result) -> {
            clock.executed(body, result);
            clients.executed(body);
        };
    }

    @Override
    public List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership) {
        if (names.isEmpty()) {
            found();
        }
        int number = names.indexOf(boot.id());
        if (number < 0) {
            return List.of();
        }
        List<NodeId> named =
                names.stream().filter(each -> !unnamed.contains(each)).toList();
        return List.of(new GeoPaxosProtocol(
                new GeoGroups(
                        named, founders, 1, ThreeGroups.nearest(founders, number % GROUPS), timing, placementPeriod),
                Bank::map,
                membership,
                new CallerReads(),
                () -> drawn(number % 2 == 0),
                () -> judge().watching(boot.id())));
    }

    private Rules drawn(boolean oneRound) {
        Rules drawn = rules.get();
        drawn.oneRound = oneRound; // of others it shows what their SYNCs are for
        drawn.snapshotEvery = snapshotEvery;
        drawn.pinnedMax = snapshotEvery;
        drawn.movePaysWrites = 1; // so that much moves
        drawn.runsMax = 1;
        drawn.pageBytes = 32 * snapshotEvery;
        return drawn;
    }

    /** Only where it is alone: others may mind the clocks. */
    @Override
    public List<Nemesis.Special> troubles(Nemesis troubling) {
        nemesis = isAlone ? troubling : null;
        return isAlone ? List.of(hasty.trouble(troubling)) : List.of();
    }

    @Override
    public void sent(SimulatedNode from, NodeId to, int channel, int type, Slice body) {
        if (nemesis != null && channel == GeoPaxosProtocol.CHANNEL && type == GeoMessage.ORDER) {
            hasty.asks(nemesis, from);
        }
    }

    @Override
    public void begin() {
        clients.begin();
        clock.begin();
        if (isOperated) {
            operator.begin();
        }
    }

    @Override
    public void rest() {
        clients.rest();
        clock.rest();
        operator.rest();
    }

    @Override
    public void booting(SimulatedNode node) {
        stores.booting(node);
        clock.booting(node);
    }

    @Override
    public void started(SimulatedNode node) {
        if (hosting().contains(node)) {
            clients.started(node);
        }
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        for (Object event : events) {
            if (event instanceof GeoEvent.StoresLost || event instanceof GeoEvent.OtherLog) {
                throw new AssertionError(event);
            } else if (event instanceof GeoEvent told) {
                clients.event(node, told);
                clock.event(told);
            }
        }
    }

    @Override
    public void stopped(SimulatedNode node) {
        clients.stopped(node);
    }

    @Override
    public void destroyed(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        stores.lost();
    }

    @Override
    public boolean mayLose(SimulatedNode node, boolean becomesOlder) {
        return stores.mayLose(node);
    }

    @Override
    public boolean mayRollBack(SimulatedNode node, SimulatedDisk.Image image) {
        return !isMember(node) || stores.mayRollBack(node, image);
    }

    @Override
    public boolean mayDie(SimulatedNode node) {
        return stores.mayLose(node);
    }

    private boolean isMember(SimulatedNode node) {
        return isOperated || founders.stream().anyMatch(group -> group.contains(node.id()));
    }

    WingOperator operator() {
        return operator;
    }

    @Override
    public long successes() {
        return clients.answers();
    }

    /** The nodes that must have everything in the end. */
    private List<SimulatedNode> hosts() {
        OrderedMapsLayout layout = operator.layout();
        return machines.nodes().stream()
                .filter(node -> names.contains(node.id()) && !machines.isDead(node) && !isLimited.test(node))
                .filter(node -> layout == null || layout.nodes().contains(node.id()))
                .toList();
    }

    @Override
    public @Nullable String unsettled() {
        if (clients.waiting() > 0) {
            return clients.waiting() + " clients wait";
        }
        List<Long> slots = null;
        for (SimulatedNode node : hosts()) {
            if (!node.isListening()) {
                return node + " does not run";
            }
            GeoPaxos core = protocol(node).node();
            if (!core.executor().pending().isEmpty()) {
                return node + " has not executed " + core.executor().pending();
            }
            slots = slots == null ? core.executor().slots() : slots;
            if (!slots.equals(core.executor().slots())) {
                return node + " has executed " + core.executor().slots() + ", others " + slots;
            }
        }
        return null;
    }

    @Override
    public void settled() {
        Wing.super.settled();
        Map<NodeId, GeoPaxos> nodes = new TreeMap<>();
        hosts().forEach(node -> nodes.put(node.id(), protocol(node).node()));
        judge().compareStates(nodes);
        clients.history().judge();
    }

    @Override
    public String toString() {
        return clients.answers() + " answers, " + clients.atOnce() + " at once, " + callers + ", " + clock + ", "
                + operator + ", " + judge;
    }
}
