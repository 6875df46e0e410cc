package io.georep;

import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.model.RejectedException;
import io.georep.outbox.OutboxCommand;
import io.georep.outbox.OutboxEvent;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.runtime.EventDispatcher;
import io.georep.runtime.FrameIntake;
import io.georep.runtime.NodeDriver;
import io.georep.runtime.NodeLoop;
import io.georep.runtime.PeerInspection;
import io.georep.runtime.PendingSend;
import io.georep.runtime.SendBudget;
import io.georep.spi.Complaint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings what the protocols tell to whom it concerns. Runs on the application thread. */
final class EventRouter implements EventDispatcher.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(EventRouter.class);
    private static final long SWEEP_NANOS = 60_000_000_000L;

    /** Queues opened on this node. */
    final ConcurrentMap<String, LocalQueue> queues = new ConcurrentHashMap<>();

    final Requests requests = new Requests();
    final List<Consumer<PeerChange>> onPeerChange = new CopyOnWriteArrayList<>();

    /** Completes when the membership has said GOODBYE. */
    final CompletableFuture<Void> left = new CompletableFuture<>();

    /** Completes with the last event. */
    final CompletableFuture<NodeDriver.Ended> ended = new CompletableFuture<>();

    /** Of queues whose consumers wait for a time. */
    final Alarms alarms = new Alarms();

    private final String nodeName;
    private final ChangeLog changes;
    private final Set<String> unopenedLogged = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> undecidedEarly = new HashMap<>();
    private final CompletableFuture<Void> sendsAnswered = new CompletableFuture<>();
    private volatile @Nullable SendBudget budget;
    private final LongAdder framesRefused = new LongAdder();
    private volatile boolean drainingSends;

    /** Application thread only. */
    private long sweepAtNanos = Long.MIN_VALUE;

    EventRouter(String nodeName, ChangeLog changes) {
        this.nodeName = nodeName;
        this.changes = changes;
    }

    /** Tells whose room the answers of sends give back. */
    void budget(SendBudget value) {
        budget = value;
    }

    /** Frames that could not be read; any thread. */
    long framesRefused() {
        return framesRefused.sum();
    }

    /** Completes, on the application thread, when no send waits for its answer; no further one may begin. */
    CompletableFuture<Void> drainSends() {
        drainingSends = true;
        return sendsAnswered;
    }

    @Override
    public void events(List<Object> events) {
        for (Object event : events) {
            try {
                if (event instanceof OutboxEvent outboxEvent) {
                    outbox(outboxEvent);
                } else if (event instanceof MembershipEvent membershipEvent) {
                    membership(membershipEvent);
                } else if (event instanceof PeerInspection.Snapshot snapshot) {
                    requests.answer(snapshot.token(), snapshot);
                } else if (event instanceof NodeLoop.StoreChanged changed) {
                    changes.store(changed);
                } else if (event instanceof FrameIntake.Refused refused) {
                    framesRefused.increment();
                    changes.frameRefused(refused);
                } else if (event instanceof NodeDriver.Ended end) {
                    end(end);
                }
            } catch (Throwable e) {
                Complaint.log(LOG, "Node {}: a callback failed on {}", nodeName, event, e);
            } finally {
                Thread.interrupted(); // left behind by a callback
            }
        }
    }

    private void outbox(OutboxEvent event) {
        if (event instanceof OutboxEvent.Stored stored) {
            stored(stored);
        } else if (event instanceof OutboxEvent.Deliver deliver) {
            LocalQueue queue = queues.get(deliver.queue());
            if (queue != null) {
                queue.route(deliver.entries());
            }
        } else if (event instanceof OutboxEvent.PutFailed failed) {
            putFailed(failed);
        } else if (event instanceof OutboxEvent.Adopted adopted) {
            adopted(adopted);
        } else if (event instanceof OutboxEvent.Ceded ceded) {
            changes.ceded(ceded);
        } else if (event instanceof OutboxEvent.EndedElsewhere ended) {
            LocalQueue queue = queues.get(ended.queue());
            if (queue != null) {
                queue.endedElsewhere(ended.stream(), ended.entries());
            }
        } else if (event instanceof OutboxEvent.CopiesMissing missing) {
            changes.copiesMissing(missing);
        } else if (event instanceof OutboxEvent.CopiesRestored restored) {
            changes.copiesRestored(restored);
        } else if (event instanceof OutboxEvent.UndecidedFound found) {
            undecidedFound(found);
        } else if (event instanceof OutboxEvent.Undecided undecided) {
            requests.answer(undecided.token(), undecided);
        } else if (event instanceof OutboxEvent.DeadLetters letters) {
            requests.answer(letters.token(), letters);
        } else if (event instanceof OutboxEvent.Changed changed) {
            requests.answer(changed.token(), changed);
        } else if (event instanceof OutboxEvent.Statistics statistics) {
            requests.answer(statistics.token(), statistics.statistics());
        }
    }

    private void stored(OutboxEvent.Stored stored) {
        List<OutboxCommand.Put> puts = stored.puts();
        release(puts);
        LocalQueue queue = puts.isEmpty() ? null : queues.get(puts.get(0).queue());
        if (queue != null) {
            queue.counters.acknowledged.add(puts.size());
            queue.ownStream = stored.stream();
        }
        long sequence = stored.first();
        for (OutboxCommand.Put put : puts) {
            if (put.token() instanceof PendingSend send) {
                answer(send, new EntryId(stored.stream(), sequence), null);
            }
            sequence++;
        }
    }

    private void putFailed(OutboxEvent.PutFailed failed) {
        release(failed.puts());
        boolean rejected = failed.cause() instanceof RejectedException;
        for (OutboxCommand.Put put : failed.puts()) {
            LocalQueue queue = queues.get(put.queue());
            if (queue != null) {
                (rejected ? queue.counters.rejected : queue.counters.indeterminate).increment();
            }
            if (put.token() instanceof PendingSend send) {
                answer(send, null, failed.cause());
            }
        }
    }

    /** Whatever the stages behind one send do, the sends after it get their answers. */
    private void answer(PendingSend send, @Nullable EntryId id, @Nullable Throwable error) {
        try {
            if (id != null) {
                send.stored(id);
            } else if (error != null) {
                send.failed(error);
            }
        } catch (Throwable e) {
            Complaint.log(LOG, "Node {}: what follows a send failed", nodeName, e);
        } finally {
            Thread.interrupted(); // left behind by what follows the send
        }
    }

    private void release(List<OutboxCommand.Put> puts) {
        SendBudget room = budget;
        if (room != null) {
            long bytes = 0;
            for (OutboxCommand.Put put : puts) {
                bytes += put.payload().length();
            }
            room.release(puts.size(), bytes);
        }
    }

    private void adopted(OutboxEvent.Adopted adopted) {
        changes.adopted(adopted);
        LocalQueue queue = queues.get(adopted.queue());
        if (queue != null) {
            queue.counters.adopted.add(adopted.entries());
        } else {
            unopened(adopted.queue());
        }
    }

    private void undecidedFound(OutboxEvent.UndecidedFound found) {
        changes.undecided(found);
        LocalQueue queue = queues.get(found.queue());
        if (queue != null) {
            queue.undecidedFound(found.entries());
        } else {
            undecidedEarly.merge(found.queue(), found.entries(), Long::sum);
        }
    }

    /** Application thread: a queue was opened, perhaps after entries of it had turned up. */
    void opened(LocalQueue queue) {
        Long undecided = undecidedEarly.remove(queue.name);
        if (undecided != null) {
            queue.undecidedFound(undecided);
        }
    }

    /** Entries of this queue wait, but nobody opened it here; said once per queue. */
    void unopened(String queue) {
        if (unopenedLogged.add(queue)) {
            changes.unopened(queue);
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
        } else if (event instanceof MembershipEvent.Refused refused) {
            changes.refused(refused);
        } else if (event instanceof MembershipEvent.Left) {
            left.complete(null);
        }
    }

    private void end(NodeDriver.Ended end) {
        for (PendingSend send : end.unseen()) {
            answer(send, null, SendPort.closedException());
        }
        for (PendingSend send : end.unanswered()) {
            answer(
                    send,
                    null,
                    new IndeterminateException(
                            "the node stopped before f other nodes confirmed: the entry may still be forwarded"));
        }
        try {
            requests.close();
        } finally {
            left.complete(null);
            sendsAnswered.complete(null);
            ended.complete(end);
        }
    }

    @Override
    public void time(long nowNanos) {
        while (ringNext(nowNanos)) {
            // one after the other
        }
        if (nowNanos >= sweepAtNanos) {
            sweepAtNanos = nowNanos + SWEEP_NANOS;
            sweep(nowNanos);
        }
        SendBudget room = budget;
        if (drainingSends && room != null && room.count() == 0) {
            sendsAnswered.complete(null);
        }
    }

    private boolean ringNext(long nowNanos) {
        try {
            return alarms.ringNext(nowNanos);
        } catch (Throwable e) {
            Complaint.log(LOG, "Node {}: a queue failed at its alarm", nodeName, e);
            return true;
        }
    }

    private void sweep(long nowNanos) {
        for (LocalQueue queue : queues.values()) {
            QueueConsumer consumer = queue.consumer();
            try {
                if (consumer != null) {
                    consumer.sweep(nowNanos);
                }
            } catch (Throwable e) {
                Complaint.log(LOG, "Node {}: queue {} failed", nodeName, queue.name, e);
            }
        }
    }

    @Override
    public long nextDeadlineNanos() {
        return Math.min(sweepAtNanos, alarms.nextNanos());
    }
}
