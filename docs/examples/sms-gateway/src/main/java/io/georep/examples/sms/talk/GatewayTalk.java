package io.georep.examples.sms.talk;

import io.georep.model.NodeId;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Asks other gateways, over the links between their nodes, which are protected as {@code georep.security} says. Nothing is
 * stored: what must not be lost is asked again. Thread-safe.
 */
public interface GatewayTalk {
    /** The longest question or answer, in bytes. */
    int BYTES_MAX = 16 * 1024;

    /**
     * What came back.
     *
     * @param answers by gateway
     * @param silent gateways that have not answered by then or are not in reach, though they are not given up
     */
    record Answers(Map<NodeId, byte[]> answers, Set<NodeId> silent) {}

    /** Answers the questions of other gateways. */
    @FunctionalInterface
    interface Answerer {
        /**
         * Answers one; on a thread that must not be blocked. A stage that fails leaves the question without an answer. Each has
         * to complete: a gateway with too many questions that wait is not heard.
         */
        CompletionStage<byte[]> answer(NodeId from, byte[] question);
    }

    /**
     * Asks. A gateway that left a question to all unanswered is asked again, but not waited for until it answers one.
     *
     * @param to the gateway; null for all
     * @param question at most {@link #BYTES_MAX} bytes
     * @param atMost how long to wait for the last answer
     * @param sought whether this answer makes the others needless; on a thread that must not be blocked
     * @return completes when all have answered, one gave what was sought, or the time is over; fails only when the node is
     *     stopped. Completed on a thread that must not be blocked
     */
    CompletionStage<Answers> ask(@Nullable NodeId to, byte[] question, Duration atMost, Predicate<byte[]> sought);

    /** Sets who answers; until then questions stay without an answer. */
    void answerer(Answerer answerer);
}
