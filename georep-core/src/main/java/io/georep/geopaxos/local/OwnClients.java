package io.georep.geopaxos.local;

import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Under which names the operations are asked for that their callers do not number. In each run the node has a client of its own. If an
 * operation has no answer for very long, the next ones are those of another client: all nodes keep the results of a client that are
 * not acknowledged.
 */
final class OwnClients {
    /** Numbers between an operation without an answer and the last one of its client. */
    static final int PINNED_MAX = 50_000;

    /** See {@link io.georep.geopaxos.core.messages.GeoCommand.Submit}. */
    record Name(long client, long sequence, long acked) {}

    private final TreeMap<Long, Boolean> unanswered = new TreeMap<>();

    /** By the first number that it may have. Earlier ones are those that have operations without an answer. */
    private final TreeMap<Long, Long> clients = new TreeMap<>();

    OwnClients() {
        begin(0);
    }

    private void begin(long first) {
        clients.put(first, UUID.randomUUID().getMostSignificantBits());
    }

    /** Names an operation with a number that is larger than all before. */
    Name add(long number) {
        unanswered.put(number, true);
        if (number - oldest() >= PINNED_MAX) {
            begin(number);
        }
        return new Name(clients.lastEntry().getValue(), number, oldest() - 1);
    }

    /** Returns the first number without an answer of those of the present client, which has one. */
    private long oldest() {
        return Objects.requireNonNull(unanswered.ceilingKey(clients.lastKey()));
    }

    /**
     * An operation, which may have had a name, was answered.
     *
     * @return the name of a last operation, to acknowledge all others of a client that gets no more; null if there is no such client
     */
    @Nullable
    Name remove(long number) {
        long first = Objects.requireNonNull(clients.floorKey(number));
        Long next = clients.higherKey(number);
        if (unanswered.remove(number) == null
                || next == null
                || !unanswered.subMap(first, next).isEmpty()) {
            return null;
        }
        return new Name(Objects.requireNonNull(clients.remove(first)), next, next - 1);
    }
}
