package io.georep;

import io.georep.model.ClosedException;
import io.georep.model.ConfigurationException;
import io.georep.model.GeoRepException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.outbox.OutboxCommand;
import io.georep.outbox.OutboxStatistics;
import io.georep.outbox.QueueNames;
import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.runtime.EventDispatcher;
import io.georep.runtime.NodeDriver;
import io.georep.runtime.PeerInspection;
import io.georep.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A started node: the public face of driver, dispatcher and router. */
final class RunningNode implements GeoRepNode, NodePort {
    private static final int OUTBOX = NodeAssembly.OUTBOX_CHANNEL;
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    private final NodeSettings settings;
    private final NodeIdentity identity;
    private final NodeDriver driver;
    private final EventDispatcher dispatcher;
    private final EventRouter router;
    private final SendPort port;
    private final NodeShutdown shutdown;

    RunningNode(
            NodeSettings settings,
            NodeIdentity identity,
            NodeDriver driver,
            EventDispatcher dispatcher,
            EventRouter router) {
        this.settings = settings;
        this.identity = identity;
        this.driver = driver;
        this.dispatcher = dispatcher;
        this.router = router;
        this.port = new SendPort(driver, settings.protocol());
        this.shutdown = new NodeShutdown(settings, driver, dispatcher, router, port);
        router.budget(port.budget());
    }

    @Override
    public NodeIdentity identity() {
        return identity;
    }

    @Override
    public NodeState state() {
        return shutdown.state();
    }

    @Override
    public @Nullable Throwable failure() {
        return shutdown.failure();
    }

    @Override
    public CompletionStage<Void> stopped() {
        return shutdown.stopped().copy();
    }

    @Override
    public <T> Outbox<T> outbox(String name, Class<T> type) {
        return outbox(name, type, options -> {});
    }

    @Override
    public <T> Outbox<T> outbox(String name, Class<T> type, Consumer<OutboxOptions> options) {
        PayloadCodec<T> codec = io.georep.spi.CodecResolver.builtIn().resolve(type);
        if (codec == null) {
            codec = settings.codecs().resolve(type);
        }
        if (codec == null) {
            throw new ConfigurationException("queue '" + name + "': no codec for " + type.getName()
                    + ": pass a PayloadCodec, or give the node a resolver with codecs(...)");
        }
        return outbox(name, codec, options);
    }

    @Override
    public <T> Outbox<T> outbox(String name, PayloadCodec<T> codec, Consumer<OutboxOptions> options) {
        OutboxOptions chosen = new OutboxOptions();
        options.accept(chosen);
        checkF(name, chosen.f());
        LiveOutbox<T> outbox = new LiveOutbox<>(name, codec, chosen.f(), this, port, this::checkF);
        open(outbox);
        return outbox;
    }

    @Override
    public Replication replication(String name) {
        LiveReplication replication = new LiveReplication(name, this, port, this::checkF);
        open(replication);
        return replication;
    }

    private void open(LocalQueue queue) {
        int bytes = queue.name.getBytes(StandardCharsets.UTF_8).length;
        if (queue.name.isBlank() || !QueueNames.fits(queue.name)) {
            throw new ConfigurationException("queue name '" + queue.name + "' has " + bytes
                    + " bytes, allowed are 1 to " + QueueNames.BYTES_MAX + " with something visible");
        }
        requireRunning();
        if (router.queues.size() >= QueueNames.QUEUES_MAX && !router.queues.containsKey(queue.name)) {
            throw new ConfigurationException("queue '" + queue.name + "' is one too many: a node opens at most "
                    + QueueNames.QUEUES_MAX + "; put what tells them apart into a header or the payload");
        }
        if (router.queues.putIfAbsent(queue.name, queue) != null) {
            throw new ConfigurationException(
                    "queue '" + queue.name + "' is open on this node already: share the object instead");
        }
        dispatcher.execute(() -> router.opened(queue));
    }

    private void checkF(String queue, int f) {
        if (f > 0 && !settings.networked()) {
            throw new ConfigurationException("queue '" + queue + "' wants f = " + f + ", but node " + nodeName()
                    + " is alone: set listen(port) and seeds(...), or f(0)");
        }
    }

    @Override
    public GeoRepNode onPeerChange(Consumer<PeerChange> callback) {
        router.onPeerChange.add(Objects.requireNonNull(callback, "callback"));
        return this;
    }

    @Override
    public List<PeerStatus> peers() {
        return wait(readPeers().toCompletableFuture());
    }

    @Override
    public CompletionStage<List<PeerStatus>> readPeers() {
        return inspect()
                .thenApply(snapshot ->
                        snapshot.peers().stream().map(RunningNode::status).toList());
    }

    private static PeerStatus status(PeerInspection.Seen seen) {
        return new PeerStatus(
                seen.id(),
                seen.site(),
                seen.state(),
                Duration.ofNanos(seen.sinceNanos()),
                seen.incarnation(),
                known(seen.rttMinNanos()),
                known(seen.rttSmoothedNanos()),
                seen.linked(),
                seen.selectable(),
                seen.drained(),
                seen.foreign());
    }

    @Override
    public ClusterStatus cluster() {
        return wait(inspect()
                .thenApply(PeerInspection.Snapshot::cluster)
                .thenApply(cluster -> new ClusterStatus(cluster.id(), cluster.settled(), cluster.waitsFor())));
    }

    private CompletableFuture<PeerInspection.Snapshot> inspect() {
        return router.requests.ask(token -> driver.command(PeerInspection.CHANNEL, new PeerInspection.Read(token)));
    }

    private static @Nullable Duration known(long nanos) {
        return nanos == Long.MAX_VALUE ? null : Duration.ofNanos(nanos);
    }

    @Override
    public NodeStatistics statistics() {
        return wait(readStatistics().toCompletableFuture());
    }

    @Override
    public CompletionStage<NodeStatistics> readStatistics() {
        return this.<OutboxStatistics>ask(OutboxCommand.ReadStatistics::new).thenApply(this::statistics);
    }

    private NodeStatistics statistics(OutboxStatistics protocol) {
        Map<String, QueueStatistics> queues = new TreeMap<>();
        router.queues.forEach((name, queue) -> queues.put(name, queue.statistics()));
        Set<String> unopened = new LinkedHashSet<>();
        protocol.held().forEach((name, count) -> {
            if (count > 0 && !queues.containsKey(name)) {
                unopened.add(name);
                router.unopened(name);
            }
        });
        return new NodeStatistics(
                protocol,
                queues,
                unopened,
                port.budget().count(),
                port.budget().bytes(),
                driver.turns(),
                driver.inputs(),
                router.framesRefused());
    }

    @Override
    public boolean ready(int f) {
        return state() == NodeState.RUNNING && wait(readReady(f).toCompletableFuture());
    }

    @Override
    public CompletionStage<Boolean> readReady(int f) {
        return inspect().handle((snapshot, error) -> {
            if (error != null) {
                return false; // it fails for one reason only: the node stopped
            }
            long selectable = snapshot.peers().stream()
                    .filter(PeerInspection.Seen::selectable)
                    .count();
            return state() == NodeState.RUNNING
                    && !snapshot.leaving()
                    && snapshot.store().takesEntries()
                    && selectable >= f;
        });
    }

    @Override
    public void drain(NodeId node) {
        driver.command(MembershipProtocol.CHANNEL, new MembershipCommand.Drain(node, true));
    }

    @Override
    public void undrain(NodeId node) {
        driver.command(MembershipProtocol.CHANNEL, new MembershipCommand.Drain(node, false));
    }

    @Override
    public void remove(NodeId node) {
        if (node.equals(identity.id())) {
            throw new IllegalArgumentException("a node cannot remove itself: use close(Duration.ZERO)");
        }
        driver.command(MembershipProtocol.CHANNEL, new MembershipCommand.Remove(node));
    }

    @Override
    public void joinClusterOf(NodeId node) {
        driver.command(MembershipProtocol.CHANNEL, new MembershipCommand.JoinClusterOf(node));
    }

    @Override
    public void allowAdoption(boolean allowed) {
        driver.command(OUTBOX, new OutboxCommand.AllowAdoption(allowed));
    }

    @Override
    public void close() {
        close(settings.expectedAway());
    }

    @Override
    public void close(Duration expectedAway) {
        shutdown.close(expectedAway);
    }

    @Override
    public void halt() {
        shutdown.halt();
    }

    @Override
    public long nanos() {
        return settings.ticker().nanos();
    }

    @Override
    public long wallMillis() {
        return settings.ticker().wallMillis();
    }

    @Override
    public void command(Object outboxCommand) {
        driver.command(OUTBOX, outboxCommand);
    }

    @Override
    public boolean execute(Runnable task) {
        return dispatcher.execute(task);
    }

    @Override
    public void requireRunning() {
        NodeState now = state();
        if (now != NodeState.RUNNING) {
            throw new ClosedException(
                    "node " + nodeName() + " is " + now + ": open queues and begin handlers on a running node");
        }
    }

    @Override
    public void setAlarm(QueueConsumer consumer, long atNanos) {
        dispatcher.execute(() -> router.alarms.set(consumer, atNanos));
    }

    @Override
    public void cancelAlarms(QueueConsumer consumer) {
        dispatcher.execute(() -> router.alarms.cancel(consumer));
    }

    @Override
    public boolean onApplicationThread() {
        return dispatcher.onApplicationThread();
    }

    @Override
    public <R> CompletableFuture<R> ask(Function<Object, Object> commandOfToken) {
        return router.requests.ask(token -> driver.command(OUTBOX, commandOfToken.apply(token)));
    }

    @Override
    public String nodeName() {
        return identity.id().value();
    }

    private <R> R wait(CompletableFuture<R> answer) {
        if (dispatcher.onApplicationThread()) {
            throw new IllegalStateException("the application thread would wait for itself: ask from another thread");
        }
        try {
            return answer.get(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GeoRepException typed) {
                throw typed;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "node " + nodeName() + " did not answer within " + ANSWER_WITHIN + ": its thread georep-"
                            + nodeName() + "-driver or georep-" + nodeName()
                            + "-app is stuck, a thread dump shows where",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for node " + nodeName(), e);
        }
    }

    @Override
    public String toString() {
        return "GeoRepNode[" + nodeName() + ", " + state() + "]";
    }
}
