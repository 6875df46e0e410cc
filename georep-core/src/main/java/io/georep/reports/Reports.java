package io.georep.reports;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Lets people see a whole cluster at one node: each node answers the others with a text about itself. What is in the text
 * is up to the application. Nothing is asked, written or kept while nobody looks. Thread-safe.
 */
public interface Reports {
    /** The longest report in bytes. */
    int BYTES_MAX = 48 << 10;

    /**
     * Sets what writes the report of this node. It is called at most once per second, and only if another node asks. A
     * report that fails, is longer than {@link #BYTES_MAX}, or is not there after 10 seconds is told as an empty one; the
     * log says why. Without a writer, reports are empty.
     *
     * @param writer called on the application thread of this protocol, must not block; the bytes must not change afterwards
     */
    void answerWith(Supplier<? extends CompletionStage<byte[]>> writer);

    /**
     * Returns what is known of each peer, in the order of their names, and asks all of them anew unless they were asked a
     * moment ago: a second, and with more than 20 peers 50 ms for each. So look repeatedly. A minute after the last look
     * the reports are dropped.
     *
     * @return fails with a {@link io.georep.model.ClosedException} if the node stops
     */
    CompletionStage<List<NodeReport>> look();
}
