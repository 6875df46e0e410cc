package io.georep.runtime;

import java.util.concurrent.atomic.LongAdder;

/** Messages between nodes of unlike software that were left out or left aside. Counted by the loop, read by any thread. */
public final class WireCounts {
    private final LongAdder withheld = new LongAdder();
    private final LongAdder ignored = new LongAdder();

    void withhold(int messages) {
        withheld.add(messages);
    }

    void ignore() {
        ignored.increment();
    }

    /** Messages that were not sent, for the peer did not announce their protocol. */
    public long withheld() {
        return withheld.sum();
    }

    /** Messages that came on channels or of types this node does not know. */
    public long ignored() {
        return ignored.sum();
    }
}
