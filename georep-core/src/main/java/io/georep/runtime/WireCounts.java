package io.georep.runtime;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts messages that were not sent, or were ignored, because the two nodes run different software. The loop counts,
 * and any thread reads.
 */
public final class WireCounts {
    private final LongAdder withheld = new LongAdder();
    private final LongAdder ignored = new LongAdder();

    void withhold(int messages) {
        withheld.add(messages);
    }

    void ignore() {
        ignored.increment();
    }

    /** Counts messages that were not sent because the peer did not announce their protocol. */
    public long withheld() {
        return withheld.sum();
    }

    /** Messages that came on channels or of types this node does not know. */
    public long ignored() {
        return ignored.sum();
    }
}
