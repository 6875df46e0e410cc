package io.georep.funnel.local;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.MapsStatistics;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewGroup;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.logging.SafeLog;
import io.georep.model.GeoRepException;
import io.georep.protocol.local.NodeHandle;
import io.georep.runtime.CallQueue;
import io.georep.runtime.CallingSide;
import io.georep.spi.PayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The replicated maps of one running node. */
final class LocalReplicatedMaps extends CallingSide<ReplicatedMaps, FunnelCommand, FunnelEvent, FunnelEvent.Written>
        implements ReplicatedMaps {
    private static final Logger LOG = LoggerFactory.getLogger(LocalReplicatedMaps.class);

    /** How many of the largest values fit into the queue: a value, the one that is expected, and the next call. */
    private static final long LARGEST_VALUES = 4;

    final FunnelSettings settings;
    final ReadTable table;
    final Listeners listeners;

    private final NodeHandle<FunnelCommand> node;
    private final Renewals renewals;
    private final @Nullable KeptViews kept;
    private final List<Consumer<MapsStatus>> onStatus = new CopyOnWriteArrayList<>();
    private volatile MapsStatus status = new MapsStatus(null, MapsStatus.Role.OUTSIDE);

    /** Maps whose views these nodes keep. */
    static LocalReplicatedMaps kept(
            NodeHandle<FunnelCommand> node, FunnelSettings settings, ReadTable table, ViewGroup group) {
        KeptViews views = new KeptViews(node, settings.lease().toNanos(), LOG);
        return new LocalReplicatedMaps(node, settings, table, views, ": " + group);
    }

    LocalReplicatedMaps(NodeHandle<FunnelCommand> node, FunnelSettings settings, ReadTable table, ViewMaster master) {
        this(node, settings, table, master, "");
    }

    private LocalReplicatedMaps(
            NodeHandle<FunnelCommand> node,
            FunnelSettings settings,
            ReadTable table,
            ViewMaster master,
            String whoIsMissing) {
        super(node, calls(settings));
        kept = master instanceof KeptViews own ? own : null;
        this.node = node;
        this.settings = settings;
        this.table = table;
        this.listeners = new Listeners(node.nodeName(), table::listeners);
        this.renewals = new Renewals(node, settings, master, whoIsMissing, LOG);
        table.clock(node::nanos, node::wallMillis);
    }

    private static CallQueue.Kind<FunnelCommand> calls(FunnelSettings settings) {
        return new CallQueue.Kind<>(
                "replicated maps",
                Math.max(CallQueue.BYTES_MAX, LARGEST_VALUES * settings.valueBytesMax()),
                "the node ended before the write was committed, and other nodes may still commit it: read the key on"
                        + " another node, or write again; with an operation number that takes effect once",
                FunnelCommand.Calls::new);
    }

    CallQueue<FunnelCommand, FunnelEvent.Written> calls() {
        return calls;
    }

    @Override
    public ReplicatedMaps service() {
        return this;
    }

    @Override
    public <K, V> ReplicatedMap<K, V> map(String name, PayloadCodec<K> keys, PayloadCodec<V> values) {
        return new LocalMap<>(
                this, new MapKey(name), Objects.requireNonNull(keys, "keys"), Objects.requireNonNull(values, "values"));
    }

    @Override
    public MapsStatus status() {
        return status;
    }

    @Override
    public Duration leaseLeft() {
        return Duration.ofNanos(table.leaseLeftNanos());
    }

    @Override
    public void onStatus(Consumer<MapsStatus> listener) {
        onStatus.add(Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public CompletionStage<ViewMaster.Restoration> restoreView(boolean dryRun) {
        LOG.info("Node {}: order to restore the view of replicated maps, dry run: {}", node.nodeName(), dryRun);
        return renewals.restore(dryRun);
    }

    @Override
    public CompletableFuture<MapsStatistics> readStatistics() {
        return node.<MapsStatistics>ask(FunnelCommand.ReadStatistics::new);
    }

    /** Most keys whose place a map remembers: all that have one, and as many again as may have none. */
    int cacheMax() {
        return table.size() + ReadTable.ABSENT_MAX;
    }

    /** Waits for a read. */
    <V> @Nullable V await(LocalMap<?, V> map, CompletableFuture<@Nullable V> read) {
        if (!read.isDone() && node.onApplicationThread()) {
            throw new IllegalStateException("a read of map '" + map.name() + "' would have to wait for the tail on the"
                    + " application thread, which calls listeners: use read(key), or read on another thread");
        }
        try {
            return read.get(settings.readTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GeoRepException typed) {
                throw typed;
            }
            if (e.getCause() instanceof IllegalStateException unreadable) {
                throw unreadable;
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw new MapUnavailableException(
                    MapUnavailableException.Reason.TAIL_SILENT,
                    "the value of a key of map '" + map.name() + "' was not known within " + settings.readTimeout()
                            + ": read again");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a read of map '" + map.name() + "'", e);
        }
    }

    /** Returns the error of a call that needs the lease and has none. */
    GeoRepException unreadable() {
        if (calls.isClosed()) {
            return CallQueue.closedException();
        }
        MapsStatus now = status;
        boolean isMember = now.role() == MapsStatus.Role.SERVING || now.role() == MapsStatus.Role.FLUSHING;
        return isMember
                ? new MapUnavailableException(
                        MapUnavailableException.Reason.NO_LEASE,
                        "node " + node.nodeName() + " has no lease in " + now.view()
                                + ": try again when it reaches the master, or on another node")
                : new MapUnavailableException(
                        MapUnavailableException.Reason.NO_VIEW,
                        "node " + node.nodeName() + " is no member of the replicated maps, the newest view is "
                                + now.view() + ": try again when it has joined, or on another node");
    }

    @Override
    public void event(FunnelEvent event) {
        if (event instanceof FunnelEvent.Done done) {
            calls.answer(done.writes(), FunnelEvent.Written::token, write -> write);
        } else if (event instanceof FunnelEvent.Failed failed) {
            calls.fail(failed.tokens(), failed.cause());
        } else if (event instanceof FunnelEvent.Value value) {
            calls.answer(value.token(), new FunnelEvent.Written(value.token(), true, value.value()));
        } else if (event instanceof FunnelEvent.Changes changed) {
            listeners.tell(changed.changes());
        } else if (event instanceof FunnelEvent.Ask ask) {
            renewals.ask(ask);
        } else if (event instanceof FunnelEvent.Status changed) {
            status(changed.status());
        } else if (event instanceof FunnelEvent.Statistics read) {
            node.answer(read.token(), read.statistics());
        } else if (kept != null) {
            kept.event(event);
        }
    }

    private void status(MapsStatus now) {
        MapsStatus before = status;
        status = now;
        if (!before.equals(now)) {
            LOG.info("Node {}: replicated maps are {} in {}", node.nodeName(), now.role(), now.view());
        }
        for (Consumer<MapsStatus> listener : onStatus) {
            try {
                listener.accept(now);
            } catch (Throwable e) {
                SafeLog.log(LOG, "Node {}: onStatus failed for {}", node.nodeName(), now, e);
            }
        }
    }

    @Override
    public CompletableFuture<Void> answered() {
        return super.answered().thenCompose(answered -> renewals.farewell());
    }

    @Override
    public void ended() {
        table.end();
        super.ended();
        renewals.close();
    }
}
