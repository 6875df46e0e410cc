package io.georep.outbox.local;

import io.georep.logging.SafeLog;
import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.stream.QueueNames;
import io.georep.protocol.local.NodeHandle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives what the outbox protocol tells to the queues and callers that it concerns. Runs on the application thread. */
final class OutboxEvents {
    /** How many queues that are not open here the log names. Peers could invent names without end. */
    static final int UNOPENED_MAX = 256;

    private static final Logger LOG = LoggerFactory.getLogger(OutboxEvents.class);

    private final NodeHandle<OutboxCommand> node;
    private final Map<String, LocalQueue> queues;
    private final SendBudget budget;
    private final OutboxChanges changes;
    private final Set<String> unopenedLogged = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> undecidedEarly = new HashMap<>();

    /**
     * Events of these queues.
     *
     * @param budget whose room the answers of sends give back
     */
    OutboxEvents(NodeHandle<OutboxCommand> node, Map<String, LocalQueue> queues, SendBudget budget) {
        this(node, queues, budget, new OutboxChanges(node.nodeName()));
    }

    OutboxEvents(
            NodeHandle<OutboxCommand> node, Map<String, LocalQueue> queues, SendBudget budget, OutboxChanges changes) {
        this.node = node;
        this.queues = queues;
        this.budget = budget;
        this.changes = changes;
    }

    void route(OutboxEvent event) {
        if (event instanceof OutboxEvent.Stored stored) {
            stored(stored);
        } else if (event instanceof OutboxEvent.Deliver deliver) {
            LocalQueue queue = queues.get(deliver.queue());
            if (queue != null) {
                queue.route(deliver.entries());
            }
        } else if (event instanceof OutboxEvent.Recall recall) {
            LocalQueue queue = queues.get(recall.queue());
            if (queue != null) {
                queue.askBack(recall.entries());
            }
        } else if (event instanceof OutboxEvent.PutFailed failed) {
            putFailed(failed);
        } else if (event instanceof OutboxEvent.Adopted adopted) {
            adopted(adopted);
        } else if (event instanceof OutboxEvent.AdoptionPaused paused) {
            changes.adoptionPaused(paused);
        } else if (event instanceof OutboxEvent.Ceded ceded) {
            changes.ceded(ceded);
        } else if (event instanceof OutboxEvent.FinishedElsewhere ended) {
            LocalQueue queue = queues.get(ended.queue());
            if (queue != null) {
                queue.finishedElsewhere(ended.stream(), ended.entries());
            }
        } else if (event instanceof OutboxEvent.CopiesMissing missing) {
            changes.copiesMissing(missing);
        } else if (event instanceof OutboxEvent.CopiesRestored restored) {
            changes.copiesRestored(restored);
        } else if (event instanceof OutboxEvent.EndRefused refused) {
            changes.endRefused(refused);
        } else if (event instanceof OutboxEvent.UndecidedFound found) {
            undecidedFound(found);
        } else if (event instanceof OutboxEvent.Undecided undecided) {
            node.answer(undecided.token(), undecided);
        } else if (event instanceof OutboxEvent.DeadLetterPage letters) {
            node.answer(letters.token(), letters);
        } else if (event instanceof OutboxEvent.Changed changed) {
            node.answer(changed.token(), changed);
        } else if (event instanceof OutboxEvent.Statistics statistics) {
            node.answer(statistics.token(), statistics.statistics());
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

    /** Answers all sends, whatever the stages behind one of them do. */
    void answer(PendingSend send, @Nullable EntryId id, @Nullable Throwable error) {
        try {
            if (id != null) {
                send.stored(id);
            } else if (error != null) {
                send.failed(error);
            }
        } catch (Throwable e) {
            if (!send.isDone()) {
                throw e; // thrown by the lack of memory, not by a callback
            }
            SafeLog.log(LOG, "Node {}: what follows a send failed", node.nodeName(), e);
        } finally {
            Thread.interrupted(); // set by a callback of the send
        }
    }

    private void release(List<OutboxCommand.Put> puts) {
        long bytes = 0;
        for (OutboxCommand.Put put : puts) {
            bytes += put.payload().length();
        }
        budget.release(puts.size(), bytes);
    }

    private void adopted(OutboxEvent.Adopted adopted) {
        LocalQueue queue = queues.get(adopted.queue());
        if (queue != null || isTold(adopted.queue(), unopenedLogged)) {
            changes.adopted(adopted);
        }
        if (queue != null) {
            queue.counters.adopted.add(adopted.entries());
        } else {
            unopened(adopted.queue());
        }
    }

    private static boolean isTold(String unopened, Set<String> told) {
        return told.size() < UNOPENED_MAX || told.contains(unopened);
    }

    private void undecidedFound(OutboxEvent.UndecidedFound found) {
        LocalQueue queue = queues.get(found.queue());
        if (queue != null) {
            changes.undecided(found);
            queue.undecidedFound(found.entries());
            return;
        }
        if (isTold(found.queue(), undecidedEarly.keySet())) {
            changes.undecided(found);
        }
        // As many as there may be queues: the application hears of each when it opens it, however many lines were
        // written.
        if (undecidedEarly.size() < QueueNames.QUEUES_MAX || undecidedEarly.containsKey(found.queue())) {
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

    /** Entries of this queue wait, but nobody has opened it here. Logged once per queue. */
    void unopened(String queue) {
        if (isTold(queue, unopenedLogged) && unopenedLogged.add(queue)) {
            changes.unopened(queue);
        }
    }
}
