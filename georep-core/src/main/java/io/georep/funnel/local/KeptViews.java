package io.georep.funnel.local;

import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.model.ClosedException;
import io.georep.model.TransportException;
import io.georep.protocol.local.NodeHandle;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The master of views that the nodes are themselves: its questions are commands to the protocol, and the answers are events of it. */
final class KeptViews implements ViewMaster {
    private final NodeHandle<FunnelCommand> node;
    private final long patienceNanos;
    private final Logger log;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, CompletableFuture<Restoration>> orders = new ConcurrentHashMap<>();

    /** The newest question; only one is open at a time. */
    private volatile @Nullable Question open;

    private record Question(long number, Renewal renewal, CompletableFuture<Grant> answer) {}

    KeptViews(NodeHandle<FunnelCommand> node, long patienceNanos, Logger log) {
        this.node = node;
        this.patienceNanos = patienceNanos;
        this.log = log;
    }

    @Override
    public CompletionStage<Grant> renew(Renewal renewal) {
        Question question = new Question(numbers.incrementAndGet(), renewal, new CompletableFuture<>());
        open = question;
        if (!node.command(new FunnelCommand.AskKeepers(question.number, renewal))) {
            question.answer.completeExceptionally(closed());
        }
        return question.answer;
    }

    private static ClosedException closed() {
        return new ClosedException("the node is stopped or stopping");
    }

    @Override
    public CompletionStage<Restoration> restore(boolean dryRun) {
        long number = numbers.incrementAndGet();
        CompletableFuture<Restoration> answer = new CompletableFuture<>();
        orders.put(number, answer);
        if (!node.command(new FunnelCommand.OrderRestore(number, dryRun))) {
            answer.completeExceptionally(closed());
        }
        return answer.orTimeout(patienceNanos, TimeUnit.NANOSECONDS).handle((told, failure) -> {
            orders.remove(number);
            if (failure instanceof TimeoutException) {
                throw new TransportException(
                        "no keeper of views took the order: they may just be electing, or cannot store it now. Try again",
                        failure);
            } else if (failure instanceof RuntimeException other) {
                throw other;
            }
            return told;
        });
    }

    /** Takes an event of the protocol. */
    void event(FunnelEvent event) {
        if (event instanceof FunnelEvent.Answered answered) {
            answered(answered);
        } else if (event instanceof FunnelEvent.Restored restored) {
            CompletableFuture<Restoration> order = orders.get(restored.number());
            if (order != null) {
                order.complete(restored.restoration());
            }
        } else if (event instanceof FunnelEvent.Trouble trouble) {
            if (!trouble.text().isEmpty()) {
                log.warn("Node {}: views of the replicated maps: {}", node.nodeName(), trouble.text());
            }
        }
    }

    private void answered(FunnelEvent.Answered answered) {
        Question question = open;
        if (question == null || question.number != answered.number()) {
            return;
        }
        View view = answered.grant().view();
        long known = view == null ? 0 : view.number();
        if (known < question.renewal.activeView()) {
            question.answer.completeExceptionally(new IllegalStateException("the keepers know views up to " + known
                    + ", but this node was in view " + question.renewal.activeView()
                    + ": they have lost what they had decided, or are those of another cluster. Bring their stores back, or"
                    + " order that the view is restored from the stores of the nodes (restoreView)"));
        } else {
            question.answer.complete(answered.grant());
        }
    }

    @Override
    public void close() {
        Question question = open;
        if (question != null) {
            question.answer.completeExceptionally(closed());
        }
        orders.values().forEach(each -> each.completeExceptionally(closed()));
    }
}
