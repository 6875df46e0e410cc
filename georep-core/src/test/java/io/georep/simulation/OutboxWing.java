package io.georep.simulation;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxAudit;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.Membership;
import io.georep.runtime.Input;
import io.georep.spi.PeerSelection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The outbox: producers at every node, applications that forward, the consumer behind them, and what is judged of entries. */
final class OutboxWing implements Wing {
    private static final long MINUTES = 120 * World.SECONDS;

    /** One of so many puts is in a new queue, where names have no end. */
    private static final int NEW_QUEUES = 4;

    private static final int QUEUES_MAX = 30;
    private static final int LIFE_HEARTBEATS = 60;

    private final SimulatedCluster cluster;
    private final SimulationOptions options;
    private final World world;
    private final History history = new History();
    private final Consumer consumer;
    private final OutboxJudge judge;
    private final List<Host> hosts = new ArrayList<>();
    private final Map<NodeId, Host> byName = new HashMap<>();
    private final List<String> queues = new ArrayList<>();
    private final RandomGenerator random;
    private boolean produces;
    private Map<Fault, Long> causes = Map.of();

    OutboxWing(SimulatedCluster cluster) {
        this.cluster = cluster;
        options = cluster.options();
        world = cluster.world();
        random = cluster.clients();
        consumer = new Consumer(world);
        judge = new OutboxJudge(this);
        for (int i = 0; i < options.queues; i++) {
            queues.add("q" + i);
        }
    }

    @Override
    public String name() {
        return "outbox";
    }

    SimulatedCluster cluster() {
        return cluster;
    }

    SimulationOptions options() {
        return options;
    }

    World world() {
        return world;
    }

    History history() {
        return history;
    }

    Consumer consumer() {
        return consumer;
    }

    List<Host> hosts() {
        return hosts;
    }

    Host host(NodeId id) {
        Host host = byName.get(id);
        if (host == null) {
            throw new IllegalArgumentException("no node " + id);
        }
        return host;
    }

    private Host host(SimulatedNode node) {
        return host(node.id());
    }

    List<String> queues() {
        return queues;
    }

    /** Copies of payloads sent so far (I18). */
    long copiesSent() {
        return judge.copiesSent();
    }

    /** Repetitions by the kind of trouble that explains them, once the run is judged. */
    Map<Fault, Long> causes() {
        return causes;
    }

    // --- what is installed, and what happens to it

    @Override
    public void joins(SimulatedNode node) {
        Host host = new Host(this, node);
        hosts.add(host);
        byName.put(node.id(), host);
        if (produces) {
            planPut(host);
        }
    }

    @Override
    public List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership) {
        int number = 1 + hosts.indexOf(host(boot.id()));
        ProtocolConfig config = options.config(number, host(boot.id()).node().boots());
        PeerSelection selection = options.selection(number);
        Breadth breadth = options.breadth;
        if (options.rules.removesOnReturn()) {
            return List.of(OutboxAudit.removingOnReturn(config, membership, selection));
        }
        return List.of(
                breadth.has(Breadth.Kind.SPLITS)
                        ? OutboxAudit.splittingEarly(
                                config, membership, selection, breadth.rangesMax(), breadth.snapshotAfterBytes())
                        : new OutboxProtocol(config, membership, selection));
    }

    @Override
    public void booting(SimulatedNode node) {
        judge.booting(host(node));
        host(node).booting();
    }

    @Override
    public void started(SimulatedNode node) {
        host(node).started();
    }

    @Override
    public void turning(SimulatedNode node, List<Input> inputs) {
        host(node).turning(inputs);
        judge.turning(host(node), inputs);
    }

    @Override
    public void turned(SimulatedNode node) {
        judge.turned(host(node));
        host(node).turned();
    }

    @Override
    public void sent(SimulatedNode from, NodeId to, int channel, int type, Slice body) {
        if (channel == OutboxProtocol.CHANNEL) {
            judge.sent(from.id(), to, type, body);
        }
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        events.forEach(event -> judge.event(host(node), event));
        host(node).events(events);
    }

    @Override
    public void stopped(SimulatedNode node) {
        long survived = node.disk().survived();
        judge.stopped(host(node), survived);
        host(node).stopped(survived);
    }

    @Override
    public void leaving(SimulatedNode node) {
        host(node).application().quiesce();
    }

    @Override
    public void removing(SimulatedNode node) {
        host(node).removedWhileRunning();
    }

    @Override
    public void destroyed(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        history.destroyed(node.disk(), image, this::copies);
        host(node).storeReplaced();
    }

    /** How many running nodes have a copy of an entry that would survive a crash at this moment. */
    private int copies(EntryId id) {
        return (int) hosts.stream()
                .filter(host -> host.isRunning() && host.view().find(id) != null && OutboxJudge.isDurableAt(host, id))
                .count();
    }

    // --- producers

    @Override
    public void begin() {
        produces = true;
        hosts.forEach(this::planPut);
    }

    @Override
    public void rest() {
        produces = false;
    }

    private void planPut(Host host) {
        world.after(1 + random.nextLong(2 * options.putGapNanos), () -> {
            if (produces) {
                if (host.node().isListening()) {
                    put(host);
                }
                planPut(host);
            }
        });
    }

    private void put(Host host) {
        List<History.Put> puts = new ArrayList<>();
        for (int i = 1 + random.nextInt(options.putBatchMax); i > 0; i--) {
            boolean isNew = options.breadth.has(Breadth.Kind.NAMES)
                    && queues.size() < QUEUES_MAX
                    && random.nextInt(NEW_QUEUES) == 0;
            String queue = isNew ? newQueue() : queues.get(random.nextInt(queues.size()));
            int f = options.failures.get(random.nextInt(options.failures.size()));
            History.Put put = history.put(host.id(), host.node().boots(), queue, f, world.now());
            put.prepared = options.preparedPercent > 0 && random.nextInt(100) < options.preparedPercent;
            if (options.breadth.has(Breadth.Kind.EXPIRY) && random.nextInt(3) == 0) {
                long life = random.nextLong(
                        LIFE_HEARTBEATS * options.config.heartbeat().toMillis());
                put.expiresAtMillis = host.node().clock().wallMillis() + 1 + life;
            }
            puts.add(put);
        }
        host.application().put(puts);
    }

    /** A producer at a node puts one entry. */
    History.Put put(Host host, int f) {
        History.Put put = history.put(host.id(), host.node().boots(), queues.get(0), f, world.now());
        host.application().put(List.of(put));
        return put;
    }

    /** A queue that nobody used before, of which all applications take entries. */
    private String newQueue() {
        String queue = "q" + queues.size();
        queues.add(queue);
        hosts.stream()
                .filter(host -> host.isRunning() && !host.idle)
                .forEach(host -> host.application().open(queue));
        return queue;
    }

    // --- trouble

    /** What only applications suffer, and what happens while they hand over to their consumer: if the options say so. */
    @Override
    public List<Nemesis.Special> troubles(Nemesis nemesis) {
        return Fault.OF_APPLICATIONS.stream()
                .map(kind -> new Nemesis.Special(kind.name(), node -> happen(kind, host(node), nemesis)))
                .toList();
    }

    private void happen(Fault kind, Host host, Nemesis nemesis) {
        switch (kind) {
            case CRASH_AFTER_ACCEPT ->
                concerned(host, nemesis).forEach(each -> each.afterAccept = () -> nemesis.crash(kind, each.node()));
            case SLOW_CONSUMER -> {
                host.slow = true;
                nemesis.later(nemesis.begin(kind, host.node()), nemesis.spell(), () -> host.slow = false);
            }
            case CONSUMER_DOWN -> {
                consumer.isDown = true;
                nemesis.later(
                        nemesis.begin(kind, host.node()), MINUTES + nemesis.spell(), () -> consumer.isDown = false);
            }
            case REFUSE_ADOPTION -> {
                cluster.coverage().met(kind);
                allowAdoption(host, false);
                world.after(nemesis.spell(), () -> allowAdoption(host, true));
            }
            case DEAD_LETTERS -> {
                if (host.node().isListening()) {
                    cluster.coverage().met(kind);
                    queues.forEach(host.application()::lookAfter);
                }
            }
            default -> concerned(host, nemesis).forEach(each -> each.onDuty = () -> crashOnDuty(each, nemesis));
        }
    }

    /** Where each kind of trouble comes seldom, what waits for its moment waits at all nodes. */
    private List<Host> concerned(Host host, Nemesis nemesis) {
        return nemesis.plan().inTurn() ? hosts : List.of(host);
    }

    /** The duty is not over at once. */
    private void crashOnDuty(Host host, Nemesis nemesis) {
        host.later(nemesis.random.nextLong(options.config.heartbeat().toNanos()), () -> {
            if (!nemesis.isOver()) {
                nemesis.crash(Fault.CRASH_ON_DUTY, host.node());
            }
        });
    }

    private static void allowAdoption(Host host, boolean isAllowed) {
        host.adoptionRefused = !isAllowed;
        host.command(new OutboxCommand.AllowAdoption(isAllowed));
    }

    @Override
    public void healed() {
        consumer.isDown = false;
        for (Host host : hosts) {
            host.slow = false;
            host.afterAccept = null;
            host.onDuty = null;
            allowAdoption(host, true);
        }
    }

    // --- what is judged

    @Override
    public long successes() {
        return history.successes();
    }

    @Override
    public void pause() {
        new Closure(this).pause();
    }

    @Override
    public @Nullable String unsettled() {
        return null;
    }

    @Override
    public void settled() {
        causes = new Closure(this).run();
    }

    @Override
    public String toString() {
        return successes() + " of " + history.puts().size() + " puts acknowledged";
    }
}
