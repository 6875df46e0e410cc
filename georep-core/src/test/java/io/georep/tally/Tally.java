package io.georep.tally;

import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Counts on every node of a cluster: the smallest thing a second protocol can be good for. */
public interface Tally {
    /** Counts one; completes with the number it got on this node once that is durable. */
    CompletionStage<Long> add();

    /** What this node knows to be durable here of the counts of all nodes. */
    CompletionStage<Map<String, Long>> counts();
}
