package io.georep.outbox;

import io.georep.model.ConfigurationException;
import io.georep.spi.PeerSelection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Settings of an outbox. Each setter returns the options themselves. Not thread-safe. */
public final class OutboxOptions {
    /** The highest f. */
    public static final int F_MAX = 15;

    private int f = 1;
    private @Nullable Predicate<PeerSelection.Candidate> handsOverTo;
    private final List<SendInterceptor> interceptors = new ArrayList<>();

    public OutboxOptions() {}

    /**
     * Sets how many copies of each entry are made on other nodes, and so how many node failures an entry survives; 0 to
     * {@value #F_MAX}, default 1. A send can ask for another number. With 0 an entry lives on this node only.
     */
    public OutboxOptions f(int value) {
        if (value < 0 || value > F_MAX) {
            throw new ConfigurationException("f is " + value + ", allowed are 0 to " + F_MAX);
        }
        f = value;
        return this;
    }

    /**
     * Makes this node hand the entries of the queue over instead of forwarding them. One of the copies of each entry is
     * made on a node that is to forward it, the target, and about a heartbeat after the send has succeeded, the target
     * is the holder. If it is given up first, another target gets the entry. A send is refused as long as no target can
     * take a copy. A handler on this node gets an entry only if it is faster than the hand-over.
     *
     * @param to which nodes are targets. It must be a pure function; the driver's thread calls it
     */
    public OutboxOptions handOver(Predicate<PeerSelection.Candidate> to) {
        handsOverTo = Objects.requireNonNull(to, "to");
        return this;
    }

    /** Adds something that happens around every send, inside what was added before. */
    public OutboxOptions intercept(SendInterceptor interceptor) {
        interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
        return this;
    }

    public int f() {
        return f;
    }

    /** Returns what happens around sends, outermost first. Immutable. */
    public List<SendInterceptor> interceptors() {
        return List.copyOf(interceptors);
    }

    /** Returns the nodes that entries are handed over to; null if this node forwards them itself. */
    public @Nullable Predicate<PeerSelection.Candidate> handsOverTo() {
        return handsOverTo;
    }
}
