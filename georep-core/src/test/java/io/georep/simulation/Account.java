package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.model.NodeId;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What became of every entry of a run: none is lost, and every repetition has a reason and is announced. */
final class Account {
    private final OutboxWing outbox;

    /** Repetitions by the kind of trouble that explains them. */
    private final EnumMap<Fault, Long> causes = new EnumMap<>(Fault.class);

    Account(OutboxWing outbox) {
        this.outbox = outbox;
    }

    /** I12, I11 and the explanation of every repetition; returns how many there are, by cause. */
    Map<Fault, Long> judge() {
        causes.clear();
        for (History.Put put : outbox.history().puts()) {
            check(
                    put.answer != History.Answer.STORED || put.id != null,
                    "I12",
                    () -> put + " is a success without an id");
        }
        for (History.Entry entry : outbox.history().entries()) {
            check(
                    entry.isExcused() || !entry.deliveries.isEmpty(),
                    "I12",
                    () -> entry + " was acknowledged and is lost");
            explain(entry);
            announced(entry);
        }
        return causes;
    }

    /**
     * Each repetition is announced, unless the note of the first time was lost together with the process or the store, or
     * an operator had removed the node while it ran.
     */
    private void announced(History.Entry entry) {
        for (int i = 1; i < entry.deliveries.size(); i++) {
            History.Delivery later = entry.deliveries.get(i);
            for (History.Delivery earlier : entry.deliveries.subList(0, i)) {
                boolean noteLost = earlier.node.equals(later.node)
                        && (!earlier.noteSurvived || outbox.host(later.node).storeReplacedAt() > earlier.at);
                check(
                        later.possiblySent
                                || noteLost
                                || outbox.host(later.node).removedBefore(later),
                        "possiblySent",
                        () -> entry + " was forwarded by " + earlier + " and again by " + later + ", unannounced");
            }
        }
    }

    private void explain(History.Entry entry) {
        for (int i = 1; i < entry.deliveries.size(); i++) {
            History.Delivery later = entry.deliveries.get(i);
            Trouble.Item cause = null;
            for (History.Delivery earlier : entry.deliveries.subList(0, i)) {
                check(
                        !earlier.node.equals(later.node) || earlier.boot != later.boot,
                        "I10",
                        () -> entry + " was forwarded twice by one process: " + earlier + " and " + later);
                cause = cause(entry, earlier.node, later.node, later.at);
                check(
                        cause != null,
                        "I11",
                        () -> entry + " was forwarded by " + earlier + " and " + later + " without any trouble");
            }
            causes.merge(Objects.requireNonNull(cause).kind, 1L, Long::sum);
        }
        long nodes = entry.deliveries.stream()
                .map(delivery -> delivery.node)
                .distinct()
                .count();
        check(
                nodes <= Math.max(1, entry.everOwners.size()),
                "I11",
                () -> entry + " was forwarded by more nodes than owned it");
    }

    /**
     * The trouble that explains why an entry was forwarded again, null when there is none. Only trouble of one of the two
     * nodes, or of the way between them, while the entry existed counts, and its after-effects for 2 (T_s + T_x): whoever
     * was silent for long enough is given up that much later, and no verdict comes after that. Two nodes that never lost each
     * other may still follow one another in a line of holders, each of which gave up the one before it: a third node can pass
     * a claim on before its holder is heard again. Otherwise, of other nodes only an entry's owners count, and only when it
     * has had more of them than f + 1: a replaced owner that was not reached keeps its copy, so that the trouble may lie
     * between it and its successors. How many repetitions trouble may cause is bounded for all seeds together.
     */
    private Trouble.@Nullable Item cause(History.Entry entry, NodeId earlier, NodeId later, long at) {
        Trouble trouble = outbox.cluster().trouble();
        long since = entry.put.at;
        Trouble.Item between = trouble.between(earlier, later, since, at);
        between = between == null ? inLine(entry, later, earlier) : between;
        between = between == null ? inLine(entry, earlier, later) : between;
        if (between != null || entry.everOwners.size() <= entry.put.f + 1) {
            return between;
        }
        return entry.everOwners.stream()
                .flatMap(owner -> Stream.of(earlier, later).map(node -> trouble.between(owner, node, since, at)))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the trouble for which a node took over, if somebody took over from the other node before that, in the order of the
     * epochs, and also for a trouble; null otherwise. Between the two an entry may go through any hands: who makes way, or may not
     * adopt, names another one, and a third node may be the one that tells.
     */
    private Trouble.@Nullable Item inLine(History.Entry entry, NodeId node, NodeId other) {
        for (History.Takeover last : entry.takeovers) {
            Trouble.Item cause = last.by().equals(node) ? cause(entry, last) : null;
            boolean follows = entry.takeovers.stream()
                    .anyMatch(first ->
                            first.from().equals(other) && first.epoch() <= last.epoch() && cause(entry, first) != null);
            if (cause != null && follows) {
                return cause;
            }
        }
        return null;
    }

    private Trouble.@Nullable Item cause(History.Entry entry, History.Takeover takeover) {
        return outbox.cluster().trouble().between(takeover.by(), takeover.from(), entry.put.at, takeover.at());
    }
}
