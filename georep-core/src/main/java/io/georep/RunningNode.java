package io.georep;

import io.georep.model.ConfigurationException;
import io.georep.model.GeoRepException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxOptions;
import io.georep.outbox.OutboxService;
import io.georep.outbox.Replication;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.membership.MembershipCommand;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.NodeDriver;
import io.georep.runtime.PeerInspection;
import io.georep.runtime.WireCounts;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A started node: the public face of driver and router. */
final class RunningNode implements GeoRepNode {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    private final NodeSettings settings;
    private final NodeIdentity identity;
    private final NodeDriver driver;
    private final EventRouter router;
    private final Map<Class<?>, LocalSide<?, ?, ?>> services;
    private final NodeShutdown shutdown;
    private final WireCounts wire;
    private final LongSupplier distrusted;

    RunningNode(
            NodeSettings settings,
            NodeIdentity identity,
            NodeDriver driver,
            EventRouter router,
            Map<Class<?>, LocalSide<?, ?, ?>> services,
            NodeShutdown shutdown,
            WireCounts wire,
            LongSupplier distrusted) {
        this.settings = settings;
        this.identity = identity;
        this.driver = driver;
        this.router = router;
        this.services = Map.copyOf(services);
        this.shutdown = shutdown;
        this.wire = wire;
        this.distrusted = distrusted;
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
    public <S> S service(Class<S> type) {
        LocalSide<?, ?, ?> side = services.get(type);
        if (side == null) {
            throw new ConfigurationException("node " + nodeName() + " runs no protocol with the API " + type.getName()
                    + ": give its module to the builder with add(...)");
        }
        return type.cast(side.service());
    }

    @Override
    public <T> Outbox<T> outbox(String name, Class<T> type) {
        return outbox(name, type, options -> {});
    }

    @Override
    public <T> Outbox<T> outbox(String name, Class<T> type, Consumer<OutboxOptions> options) {
        return outboxes().outbox(name, type, options);
    }

    @Override
    public <T> Outbox<T> outbox(String name, PayloadCodec<T> codec, Consumer<OutboxOptions> options) {
        return outboxes().outbox(name, codec, options);
    }

    @Override
    public Replication replication(String name) {
        return outboxes().replication(name);
    }

    @Override
    public void allowAdoption(boolean allowed) {
        outboxes().allowAdoption(allowed);
    }

    private OutboxService outboxes() {
        return service(OutboxService.class);
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
                seen.foreign(),
                seen.clockAheadMillis() == Long.MIN_VALUE ? null : Duration.ofMillis(seen.clockAheadMillis()),
                seen.clockOff());
    }

    @Override
    public ClusterStatus cluster() {
        return wait(inspect()
                .thenApply(PeerInspection.Snapshot::cluster)
                .thenApply(cluster -> new ClusterStatus(cluster.id(), cluster.settled(), cluster.waitsFor())));
    }

    private CompletableFuture<PeerInspection.Snapshot> inspect() {
        return router.answers.ask(token -> driver.command(PeerInspection.CHANNEL, new PeerInspection.Read(token)));
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
        return router.readStatistics()
                .thenCombine(
                        inspect(),
                        (protocols, snapshot) -> new NodeStatistics(
                                snapshot.store(),
                                driver.turns(),
                                driver.inputs(),
                                router.framesRefused(),
                                distrusted.getAsLong(),
                                snapshot.decisionsIgnored(),
                                wire.ignored(),
                                wire.withheld(),
                                protocols));
    }

    @Override
    public boolean ready(int f) {
        return state() == NodeState.RUNNING && wait(readReady(f).toCompletableFuture());
    }

    @Override
    public boolean awaitReady(int f, Duration atMost) {
        CompletableFuture<Object> ready = router.answers.ask(
                token -> driver.command(PeerInspection.CHANNEL, new PeerInspection.AwaitReady(token, f)));
        try {
            wait(ready, atMost);
            return true;
        } catch (TimeoutException e) {
            return false;
        } finally {
            if (!ready.isDone()) {
                router.answers.forget(ready);
                driver.command(PeerInspection.CHANNEL, new PeerInspection.Forget(ready));
            }
        }
    }

    @Override
    public CompletionStage<Boolean> readReady(int f) {
        return inspect().handle((snapshot, error) -> {
            // The stage fails only if the node has stopped.
            return error == null && state() == NodeState.RUNNING && snapshot.ready(f);
        });
    }

    @Override
    public void drain(NodeId node) {
        requireRightOver(node);
        driver.command(MembershipProtocol.CHANNEL, new MembershipCommand.Drain(node, true));
    }

    @Override
    public void undrain(NodeId node) {
        requireRightOver(node);
        driver.command(MembershipProtocol.CHANNEL, new MembershipCommand.Drain(node, false));
    }

    @Override
    public void remove(NodeId node) {
        if (node.equals(identity.id())) {
            throw new IllegalArgumentException("a node cannot remove itself: use close(Duration.ZERO)");
        }
        requireRightOver(node);
        driver.command(MembershipProtocol.CHANNEL, new MembershipCommand.Remove(node));
    }

    @Override
    public void joinClusterOf(NodeId node) {
        requireRightOver(node);
        driver.command(MembershipProtocol.CHANNEL, new MembershipCommand.JoinClusterOf(node));
    }

    private void requireRightOver(NodeId node) {
        if (identity.limited() && !node.equals(identity.id())) {
            throw new ConfigurationException("node " + nodeName() + " may not decide over other nodes, because its"
                    + " certificate is a limited one: give this order to a node with a full certificate");
        }
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
    public boolean onApplicationThread() {
        return router.onApplicationThread();
    }

    private String nodeName() {
        return identity.id().value();
    }

    private <R> R wait(CompletableFuture<R> answer) {
        try {
            return wait(answer, ANSWER_WITHIN);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "node " + nodeName() + " did not answer within " + ANSWER_WITHIN + ": its thread georep-"
                            + nodeName() + "-driver or a callback is stuck, a thread dump shows where",
                    e);
        }
    }

    private <R> R wait(CompletableFuture<R> answer, Duration atMost) throws TimeoutException {
        if (router.onApplicationThread()) {
            throw new IllegalStateException("an application thread would wait for itself: ask from another thread");
        }
        try {
            return answer.get(TimeUnit.NANOSECONDS.convert(atMost), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GeoRepException typed) {
                throw typed;
            }
            throw new IllegalStateException(e.getCause());
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
