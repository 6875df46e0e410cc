package io.georep;

import io.georep.model.ClosedException;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.EventDispatcher;
import io.georep.runtime.FrameIntake;
import io.georep.runtime.Insistence;
import io.georep.runtime.NodeDriver;
import io.georep.runtime.NodeLoop;
import io.georep.runtime.PeerInspection;
import io.georep.runtime.ProtocolEvent;
import io.georep.spi.Complaint;
import io.georep.spi.ProtocolStatistics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Routes what the protocols tell to their local sides, and what concerns the node itself to its callbacks. */
final class EventRouter implements EventDispatcher.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(EventRouter.class);

    final Requests requests = new Requests();
    final List<Consumer<PeerChange>> onPeerChange = new CopyOnWriteArrayList<>();

    /** Completes when the membership has said GOODBYE. */
    final CompletableFuture<Void> left = new CompletableFuture<>();

    /** Completes with the last event. */
    final CompletableFuture<NodeDriver.Ended> ended = new CompletableFuture<>();

    /** Ends the node. */
    volatile Consumer<Throwable> fail = cause -> {};

    private final String nodeName;
    private final ChangeLog changes;
    private final LongAdder framesRefused = new LongAdder();

    /** A protocol's side, and its name for people. */
    private record Hosted<E>(String name, LocalSide<?, ?, E> side) {
        /** Its protocol was made with it, by a module that ties their events. */
        @SuppressWarnings("unchecked")
        void tell(Object event) {
            side.event((E) event);
        }
    }

    /** By channel; complete before the first event. */
    private final Map<Integer, Hosted<?>> hosted = new TreeMap<>();

    private final Insistence endSides = new Insistence(this::endSides);
    private final Insistence endRequests = new Insistence(requests::close);

    EventRouter(String nodeName, ChangeLog changes) {
        this.nodeName = nodeName;
        this.changes = changes;
    }

    /** Before the driver starts: who gets the events of a channel. */
    void add(ProtocolId id, LocalSide<?, ?, ?> side) {
        hosted.put(id.channel(), new Hosted<>(id.name(), side));
    }

    /** Frames that could not be read; any thread. */
    long framesRefused() {
        return framesRefused.sum();
    }

    /** The local sides of all protocols, in the order of their channels. */
    List<LocalSide<?, ?, ?>> sides() {
        return hosted.values().stream().<LocalSide<?, ?, ?>>map(Hosted::side).toList();
    }

    @Override
    public void events(List<Object> events) {
        for (int i = 0; i < events.size(); i++) {
            Object event = events.get(i);
            try {
                if (event instanceof ProtocolEvent told) {
                    protocol(told);
                } else if (event instanceof NodeLoop.StoreChanged changed) {
                    changes.store(changed);
                } else if (event instanceof FrameIntake.Refused refused) {
                    framesRefused.increment();
                    changes.frameRefused(refused);
                } else if (event instanceof FrameIntake.OtherProtocol other) {
                    changes.otherProtocol(other);
                } else if (event instanceof FrameIntake.Ignored ignored) {
                    changes.messageIgnored(ignored);
                } else if (event instanceof NodeDriver.Ended end) {
                    end(end);
                }
            } catch (Throwable e) {
                failed(e);
                Complaint.log(LOG, "Node {}: a callback failed on {}", nodeName, event, e);
            } finally {
                Thread.interrupted(); // left behind by a callback
            }
        }
    }

    private void protocol(ProtocolEvent told) {
        Hosted<?> protocol = hosted.get(told.channel());
        if (protocol != null) {
            protocol.tell(told.event());
        } else if (told.channel() == MembershipProtocol.CHANNEL) {
            membership((MembershipEvent) told.event());
        } else if (told.event() instanceof PeerInspection.Answer answer) {
            requests.answer(answer.token(), answer);
        }
    }

    private void membership(MembershipEvent event) {
        if (event instanceof MembershipEvent.StateChanged changed) {
            changes.peer(changed);
            PeerChange change = new PeerChange(changed.peer(), changed.site(), changed.before(), changed.after());
            for (Consumer<PeerChange> callback : onPeerChange) {
                try {
                    callback.accept(change);
                } catch (Throwable e) {
                    Complaint.log(LOG, "Node {}: onPeerChange failed for {}", nodeName, change, e);
                }
            }
        } else if (event instanceof MembershipEvent.Drained drained) {
            changes.drained(drained.peer(), drained.on());
        } else if (event instanceof MembershipEvent.Removed removed) {
            changes.removed(removed.peer());
        } else if (event instanceof MembershipEvent.Conflict conflict) {
            changes.conflict(conflict);
        } else if (event instanceof MembershipEvent.StaleStore stale) {
            changes.staleStore(stale);
        } else if (event instanceof MembershipEvent.Settled settled) {
            changes.settled(settled.cluster());
        } else if (event instanceof MembershipEvent.Foreign foreign) {
            changes.foreign(foreign);
        } else if (event instanceof MembershipEvent.DecisionIgnored ignored) {
            changes.decisionIgnored(ignored);
        } else if (event instanceof MembershipEvent.Refused refused) {
            changes.refused(refused);
        } else if (event instanceof MembershipEvent.Left) {
            left.complete(null);
        }
    }

    private void end(NodeDriver.Ended end) {
        endSides.carryOut();
        endRequests.carryOut();
        left.complete(null);
        ended.complete(end);
    }

    /** All are told again if one of them had no memory to answer its callers with. */
    private void endSides() {
        for (Hosted<?> protocol : hosted.values()) {
            try {
                protocol.side.ended();
            } catch (OutOfMemoryError e) {
                throw e;
            } catch (Throwable e) {
                complain(protocol, e);
            }
        }
    }

    /** What a side was to be told is lost when memory is at its end, and with it entries, credit, or somebody's answer. */
    @Override
    public void failed(Throwable error) {
        if (error instanceof OutOfMemoryError) {
            fail.accept(error);
        }
    }

    @Override
    public void time(long nowNanos) {
        for (Hosted<?> protocol : hosted.values()) {
            try {
                protocol.side.time(nowNanos);
            } catch (Throwable e) {
                failed(e);
                complain(protocol, e);
            }
        }
    }

    private void complain(Hosted<?> protocol, Throwable error) {
        Complaint.log(LOG, "Node {}: the local side of protocol '{}' failed", nodeName, protocol.name, error);
    }

    /** What each protocol did and holds, by its name; one that cannot tell is left out, unless the node is stopped. */
    CompletionStage<Map<String, ProtocolStatistics>> readStatistics() {
        CompletableFuture<Map<String, ProtocolStatistics>> all = CompletableFuture.completedFuture(new TreeMap<>());
        for (Hosted<?> protocol : hosted.values()) {
            all = all.thenCombine(statistics(protocol), (read, statistics) -> {
                read.put(protocol.name, statistics);
                return read;
            });
        }
        return all;
    }

    private CompletionStage<ProtocolStatistics> statistics(Hosted<?> protocol) {
        return CompletableFuture.completedFuture(protocol.side)
                .thenCompose(LocalSide::readStatistics) // also what it throws is the stage's
                .<ProtocolStatistics>thenApply(statistics -> statistics)
                .exceptionally(error -> {
                    if (error.getCause() instanceof ClosedException closed) {
                        throw closed;
                    }
                    Complaint.log(
                            LOG, "Node {}: protocol '{}' cannot tell its statistics", nodeName, protocol.name, error);
                    return ProtocolStatistics.NONE;
                });
    }

    @Override
    public long nextDeadlineNanos() {
        long next = Long.MAX_VALUE;
        for (Hosted<?> protocol : hosted.values()) {
            next = Math.min(next, protocol.side.nextDeadlineNanos());
        }
        return next;
    }
}
