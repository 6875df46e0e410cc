package io.georep.examples.sms.talk;

import io.georep.model.ClosedException;
import io.georep.model.NodeId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.NodeHandle;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The talk of one gateway: which questions wait for which answers. */
final class LocalTalk implements LocalSide<GatewayTalk, TalkProtocol.Command, TalkProtocol.Event>, GatewayTalk {
    private static final Logger LOG = LoggerFactory.getLogger(LocalTalk.class);

    private final NodeHandle<TalkProtocol.Command> node;
    private final AtomicLong numbers = new AtomicLong();

    /** Questions until their time is over, ended ones included: a gateway that answers one of them in time is not silent. */
    private final Map<Long, Open> open = new ConcurrentHashMap<>();

    /**
     * Gateways that left a question to all unanswered and have answered none in time since. They are asked, but nobody waits
     * for them: otherwise many questions would wait for each of them.
     */
    private final Set<NodeId> mute = ConcurrentHashMap.newKeySet();

    private volatile Answerer answerer =
            (from, question) -> CompletableFuture.failedFuture(new IllegalStateException("nobody answers yet"));

    /** A question that waits. */
    private final class Open {
        private final CompletableFuture<Answers> done = new CompletableFuture<>();
        private final Map<NodeId, byte[]> answers = new HashMap<>();
        private final Set<NodeId> silent = new TreeSet<>();
        private final boolean toAll;
        private final Predicate<byte[]> sought;
        private @Nullable Set<NodeId> asked;
        private boolean found;

        Open(boolean toAll, Predicate<byte[]> sought) {
            this.toAll = toAll;
            this.sought = sought;
        }

        synchronized void asked(TalkProtocol.Asked who) {
            asked = who.asked();
            silent.addAll(who.silent());
            if (toAll) {
                mute.retainAll(asked);
            }
            endIfNobodyIsWaitedFor();
        }

        /** Only gateways that were asked are heard, and only once it is known which were asked. */
        synchronized void answered(NodeId from, byte[] answer) {
            Set<NodeId> who = asked;
            if (who == null || !who.contains(from)) {
                return;
            }
            if (toAll) {
                mute.remove(from);
            }
            answers.put(from, answer);
            found |= sought.test(answer);
            endIfNobodyIsWaitedFor();
        }

        private void endIfNobodyIsWaitedFor() {
            Set<NodeId> who = asked;
            if (who != null
                    && (found
                            || who.stream()
                                    .allMatch(each -> answers.containsKey(each) || (toAll && mute.contains(each))))) {
                end(who);
            }
        }

        /** A gateway that has not answered by now is silent. */
        synchronized void timeIsOver() {
            Set<NodeId> who = asked;
            if (who == null) {
                done.completeExceptionally(new IllegalStateException("the node did not take a question in time"));
            } else if (!done.isDone()) {
                if (toAll) {
                    who.stream().filter(each -> !answers.containsKey(each)).forEach(mute::add);
                }
                end(who);
            }
        }

        private void end(Set<NodeId> who) {
            silent.addAll(who);
            silent.removeAll(answers.keySet());
            done.complete(new Answers(Map.copyOf(answers), Set.copyOf(silent)));
        }
    }

    LocalTalk(NodeHandle<TalkProtocol.Command> node) {
        this.node = node;
    }

    @Override
    public GatewayTalk service() {
        return this;
    }

    @Override
    public void answerer(Answerer who) {
        answerer = who;
    }

    @Override
    public CompletionStage<Answers> ask(
            @Nullable NodeId to, byte[] question, Duration atMost, Predicate<byte[]> sought) {
        if (question.length > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "the question has " + question.length + " bytes, allowed are " + BYTES_MAX);
        }
        long number = numbers.incrementAndGet();
        Open waiting = new Open(to == null, sought);
        open.put(number, waiting);
        if (!node.command(new TalkProtocol.Ask(number, to, question))) {
            waiting.done.completeExceptionally(new ClosedException("the node is stopped"));
        }
        CompletableFuture.delayedExecutor(atMost.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
                .execute(() -> {
                    open.remove(number);
                    waiting.timeIsOver();
                });
        return waiting.done;
    }

    @Override
    public void event(TalkProtocol.Event event) {
        if (event instanceof TalkProtocol.Asked asked) {
            Open waiting = open.get(asked.number());
            if (waiting != null) {
                waiting.asked(asked);
            }
        } else if (event instanceof TalkProtocol.Answered answered) {
            Open waiting = open.get(answered.number());
            if (waiting != null) {
                waiting.answered(answered.from(), answered.answer());
            }
        } else if (event instanceof TalkProtocol.Question question) {
            answer(question);
        }
    }

    private void answer(TalkProtocol.Question question) {
        Answerer who = answerer;
        var unused = CompletableFuture.completedFuture(question)
                .thenCompose(asked -> who.answer(asked.from(), asked.question())) // what it throws is the stage's
                .whenComplete((answer, error) -> {
                    if (error != null) {
                        LOG.debug("A question of {} stays without an answer: {}", question.from(), error.toString());
                    }
                    node.command(new TalkProtocol.Answer(question.from(), question.number(), answer));
                });
    }

    @Override
    public void ended() {
        open.values().forEach(each -> each.done.completeExceptionally(new ClosedException("the node is stopped")));
    }
}
