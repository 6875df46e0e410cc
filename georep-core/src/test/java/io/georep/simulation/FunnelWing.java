package io.georep.simulation;

import io.georep.funnel.View;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.core.FunnelAudit;
import io.georep.funnel.core.FunnelProtocol;
import io.georep.funnel.core.FunnelWatch;
import io.georep.linear.Operation.Kind;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.Membership;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A replicated map and its master: {@link FunnelClients} read and write, a {@link FunnelJudge} watches. */
final class FunnelWing implements Wing {
    /** So often an operator looks at the log. */
    private static final long ATTENTION = 5 * World.SECONDS;

    private final SimulatedCluster machines;
    private final FunnelShape shape;
    private final FunnelMaster master;
    private final @Nullable ViewGroup group;
    private final Map<SimulatedNode, FunnelMachine> local = new HashMap<>();
    private final Map<NodeId, Long> replacedIn = new HashMap<>();

    /** Nodes whose store is an older one since. */
    private final Set<NodeId> rolledBack = new HashSet<>();

    private final FunnelJudge judge;
    private int losses;
    private int pageBytes = 256 << 10;
    private final RandomGenerator random;
    private @Nullable FunnelClients clients;

    FunnelWing(SimulatedCluster machines, FunnelShape shape) {
        this.machines = machines;
        this.shape = shape;
        random = machines.world().random("maps' losses");
        List<NodeId> founders = new ArrayList<>();
        for (int i = 1; i <= shape.founders(); i++) {
            founders.add(NodeId.of("n" + i));
        }
        long lease = shape.settings().lease().toNanos();
        group = shape.keepers() == 0 ? null : new ViewGroup(founders.subList(0, shape.keepers()), founders, 0);
        master = group == null
                ? new PaperMaster(machines.world(), founders, lease, shape.flaw())
                : new KeptMaster(this, group, lease);
        judge = new FunnelJudge(this);
    }

    /** What clients do once they begin. */
    FunnelWing load(FunnelClients.Load load, RandomGenerator source) {
        clients = new FunnelClients(this, load, source);
        return this;
    }

    World world() {
        return machines.world();
    }

    List<SimulatedNode> nodes() {
        return machines.nodes();
    }

    /** All but the dead. */
    List<SimulatedNode> living() {
        return nodes().stream().filter(node -> !machines.isDead(node)).toList();
    }

    FunnelShape shape() {
        return shape;
    }

    FunnelMaster master() {
        return master;
    }

    FunnelJudge judge() {
        return judge;
    }

    FunnelMachine machine(SimulatedNode node) {
        return local.get(node);
    }

    static FunnelProtocol protocol(SimulatedNode node) {
        return Machines.protocol(node, FunnelWatch.class).protocol();
    }

    private boolean losesNext() {
        return losses > 0 && random.nextInt(losses) == 0;
    }

    /** One report or commit of so many is lost; 0 for none. */
    FunnelWing loses(int oneOf) {
        losses = oneOf;
        return this;
    }

    /** So many bytes are in a page of a transfer. */
    FunnelWing pages(int bytes) {
        pageBytes = bytes;
        return this;
    }

    @Override
    public String name() {
        return "maps";
    }

    @Override
    public void joins(SimulatedNode node) {
        local.put(
                node,
                new FunnelMachine(
                        node, machines.world(), master, shape.settings().lease().toNanos()));
    }

    @Override
    public List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership) {
        FunnelMirror mirror = machine(machines.node(boot.id())).boot();
        FunnelProtocol protocol = new FunnelProtocol(
                shape.settings(), membership, mirror, shape.isVolatile() ? Durability.MEMORY : Durability.FSYNC, group);
        FunnelAudit.pages(protocol, pageBytes);
        return List.of(new FunnelWatch(protocol, judge::hint, this::losesNext));
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        machine(node).events(events);
        events.forEach(event -> judge.event(node, event));
    }

    @Override
    public void closed(SimulatedNode node) {
        machine(node).farewell();
    }

    @Override
    public void stopped(SimulatedNode node) {
        judge.stopped(node);
        if (shape.isVolatile()) {
            machines.replaceStore(node, random.nextBoolean() ? node.disk().image() : null);
        }
    }

    /** Where only memory is written, another node must have everything. */
    @Override
    public boolean mayCrash(SimulatedNode node) {
        return !shape.isVolatile() || mayLose(node, true);
    }

    @Override
    public List<Nemesis.Special> troubles(Nemesis nemesis) {
        return new FunnelTroubles(this, nemesis).all();
    }

    @Override
    public void begin() {
        if (clients != null) {
            clients.begin();
        }
    }

    @Override
    public void rest() {
        if (clients != null) {
            clients.rest();
        }
        loses(0);
        // Values with a time to live would outlive the peace where clocks are wrong by hours.
        nodes().forEach(node -> node.clock().setRight());
        world().after(ATTENTION, this::operate);
    }

    /**
     * An operator reads the log of the master, lets it restore what it forgot, and starts whom it waits for though it is dead, with an
     * empty store. So too if nobody in the view lives: who was to be removed became its last member when the others stopped in order.
     */
    private void operate() {
        restoreView();
        View view = master.view();
        String trouble = master.waitsFor();
        if (view != null && trouble != null) {
            List<SimulatedNode> gone = nodes().stream()
                    .filter(machines::isDead)
                    .filter(node -> view.members().contains(node.id()))
                    .toList();
            boolean isWaiting = trouble.contains(" waits for ")
                    || gone.size() == view.members().size();
            gone.stream()
                    .filter(node -> isWaiting)
                    .forEach(node -> master.ask(FunnelAudit.emptied(master.ledger(), node.id()), grant -> {}));
        }
        world().after(ATTENTION, this::operate);
    }

    /** The order is given when all who live ask, though founders would do. For those who do not, nodes with empty stores ask. */
    void restoreView() {
        if (!master.hasForgotten()) {
            return;
        }
        nodes().stream()
                .filter(machines::isDead)
                .forEach(node -> master.ask(FunnelAudit.emptied(master.ledger(), node.id()), grant -> {}));
        Set<NodeId> asking = master.restore(true).stores().keySet();
        if (living().stream().allMatch(node -> asking.contains(node.id()))) {
            master.restore(false);
        }
    }

    /**
     * Whether the stores tell all that the master knows: none is an older one, and that of a founder is not empty, not even if the master
     * has yet to hear of it. Otherwise the founders make an empty map while the others are away.
     */
    boolean mayForget() {
        rolledBack.removeIf(this::hasEverything);
        return rolledBack.isEmpty()
                && group == null
                && !shape.isVolatile()
                && nodes().stream()
                        .limit(shape.founders())
                        .anyMatch(node -> FunnelAudit.activeView(master.ledger(), node.id())
                                > replacedIn.getOrDefault(node.id(), 0L));
    }

    @Override
    public void healed() {
        master.heal();
    }

    @Override
    public void destroyed(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        judge.destroyed(node);
        replacedIn.put(node.id(), master.ledger().number());
        rolledBack.remove(node.id());
        if (image != null) {
            rolledBack.add(node.id());
        }
    }

    /**
     * Whether a node may lose its store: another member has everything, in the process that it is a member by. With older stores
     * about, those that are lost count as such.
     */
    @Override
    public boolean mayLose(SimulatedNode node, boolean becomesOlder) {
        rolledBack.removeIf(this::hasEverything);
        boolean isElsewhere = nodes().stream().anyMatch(each -> each != node && hasEverything(each.id()));
        return isElsewhere
                && master.mayLose(node)
                && ((rolledBack.isEmpty() && !becomesOlder) || mayRollBack(List.of(node)));
    }

    /** With too few members left the maps are read for ever, and nothing is written. */
    @Override
    public boolean mayDie(SimulatedNode node) {
        View view = master.view();
        return mayLose(node, false)
                && view != null
                && living().stream()
                                .filter(each -> each != node)
                                .filter(each -> view.members().contains(each.id()))
                                .count()
                        > shape.founders() / 2;
    }

    private boolean hasEverything(NodeId node) {
        return FunnelAudit.isActive(master.ledger(), node)
                && FunnelAudit.since(master.ledger(), node) > replacedIn.getOrDefault(node, 0L);
    }

    /** Whether the stores of these nodes may become older ones at once: as many members are there that have everything. */
    boolean mayRollBack(List<SimulatedNode> some) {
        View view = master.view();
        if (view == null || (group != null && (some.size() > 1 || !master.mayLose(some.get(0))))) {
            return false;
        }
        int wrong = 0;
        int right = 0;
        for (SimulatedNode node : nodes()) {
            boolean isRight = hasEverything(node.id()) && !some.contains(node);
            if (view.members().contains(node.id())) {
                boolean isReplaced = some.contains(node) || replacedIn.containsKey(node.id());
                wrong += !isRight && isReplaced ? 1 : 0;
                right += isRight && node.isRunning() && master.isSure(node.id()) ? 1 : 0;
            }
        }
        return wrong <= right;
    }

    @Override
    public long successes() {
        return judge.history().size();
    }

    @Override
    public @Nullable String unsettled() {
        return judge.unsettled();
    }

    @Override
    public void settled() {
        judge.settled();
    }

    @Override
    public String toString() {
        return judge.toString();
    }

    // --- in stories

    /** Machines of a story about maps like this. */
    static SimulatedCluster cluster(int nodes, FunnelShape shape) {
        return new SimulatedCluster(SimulationOptions.scenario(nodes, cluster -> new FunnelWing(cluster, shape)));
    }

    /** Machines of a story that have been up for a while. */
    static SimulatedCluster cluster(int nodes) {
        return cluster(nodes, FunnelShape.of(nodes, 1)).start();
    }

    /** Whether a node may read a clean key from memory. */
    boolean serves(int number) {
        SimulatedNode node = machines.node(number);
        return machine(node).mirror().isReadable(FunnelJudge.key("k"), node.clock());
    }

    /** Does something on a node and waits for the end of the attempt. */
    FunnelCall doNow(int node, FunnelCall call) {
        judge.attempt(call, machines.node(node));
        world().runUntil(() -> call.node == null || call.isOver, 20 * World.SECONDS);
        return call;
    }

    FunnelCall put(int node, String key, String value) {
        return doNow(node, new FunnelCall(Kind.PUT, key, value, null));
    }

    FunnelCall read(int node, String key) {
        return doNow(node, new FunnelCall(Kind.READ, key, null, null));
    }
}
