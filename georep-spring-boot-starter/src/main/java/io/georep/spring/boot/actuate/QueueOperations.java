package io.georep.spring.boot.actuate;

import io.georep.DeadLetters;
import io.georep.Delivery;
import io.georep.Outbox;
import io.georep.model.EntryId;
import io.georep.spring.Outboxes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What an operator can do with the queues of this node. */
final class QueueOperations {
    private static final int PAGE = 100;

    private final Outboxes outboxes;

    QueueOperations(Outboxes outboxes) {
        this.outboxes = outboxes;
    }

    /** The queue of this name. */
    Outbox<?> open(String name) {
        Outbox<?> outbox = outboxes.opened(name);
        if (outbox == null) {
            throw EndpointRefusal.notFound(
                    "no queue '" + name + "' is open on this node: open are " + outboxes.names());
        }
        return outbox;
    }

    EndpointReport.LetterPage deadLetters(String name, @Nullable String after, @Nullable Integer max) {
        DeadLetters<?> letters = open(name).deadLetters();
        return EndpointReport.LetterPage.of(NodeAnswers.of(letters.list(idOrNull(after), size(max))));
    }

    List<EndpointReport.Undecided> undecided(String name, @Nullable String after, @Nullable Integer max) {
        return undecided(open(name), idOrNull(after), size(max)).stream()
                .map(EndpointReport.Undecided::of)
                .toList();
    }

    private static <T> List<Delivery<T>> undecided(Outbox<T> outbox, @Nullable EntryId after, int max) {
        return NodeAnswers.of(outbox.undecided(after, max));
    }

    Map<String, Object> changeOutbox(String name, @Nullable String action) {
        Outbox<?> outbox = open(name);
        if ("pause".equals(action)) {
            outbox.pause();
        } else if ("resume".equals(action)) {
            outbox.resume();
        } else {
            throw unknown(action, "pause and resume");
        }
        return Map.of("queue", name, "done", action);
    }

    Map<String, Object> changeLetters(String name, @Nullable String action, @Nullable List<String> ids) {
        DeadLetters<?> letters = open(name).deadLetters();
        if (!"replay".equals(action)) {
            throw unknown(action, "replay; to delete dead letters send DELETE instead of POST");
        }
        long count = NodeAnswers.of(ids == null ? letters.replayAll() : letters.replay(ids(ids)));
        return Map.of("queue", name, "replayed", count);
    }

    Map<String, Object> deleteLetters(String name, @Nullable List<String> ids) {
        DeadLetters<?> letters = open(name).deadLetters();
        long count = NodeAnswers.of(ids == null ? letters.deleteAll() : letters.delete(ids(ids)));
        return Map.of("queue", name, "deleted", count);
    }

    /** Decides on all of the entries or, when one of them is not undecided here, on none. */
    Map<String, Object> decide(String name, @Nullable String action, @Nullable List<String> texts) {
        Outbox<?> outbox = open(name);
        boolean commit = "commit".equals(action);
        if (!commit && !"withdraw".equals(action)) {
            throw unknown(action, "commit and withdraw");
        }
        if (texts == null) {
            throw EndpointRefusal.badRequest("ids are missing: name the entries to " + action
                    + ", because undecided entries may belong to different transactions");
        }
        List<EntryId> ids = ids(texts);
        Set<EntryId> strange = new TreeSet<>(ids);
        removeUndecided(outbox, strange);
        if (!strange.isEmpty()) {
            throw EndpointRefusal.badRequest("not undecided on this node: " + strange
                    + "; nothing was done. See GET undecided/" + name + " for those that are");
        }
        outbox.decide(ids, commit);
        return Map.of("queue", name, "done", commit ? "commit" : "withdraw", "entries", ids.size());
    }

    private static <T> void removeUndecided(Outbox<T> outbox, Set<EntryId> ids) {
        EntryId after = null;
        List<Delivery<T>> page;
        do {
            page = undecided(outbox, after, DeadLetters.PAGE_MAX);
            for (Delivery<T> entry : page) {
                after = entry.id();
                ids.remove(after);
            }
        } while (!ids.isEmpty() && page.size() == DeadLetters.PAGE_MAX);
    }

    private static int size(@Nullable Integer max) {
        if (max != null && (max < 1 || max > DeadLetters.PAGE_MAX)) {
            throw EndpointRefusal.badRequest("max is " + max + ", allowed are 1 to " + DeadLetters.PAGE_MAX);
        }
        return max == null ? PAGE : max;
    }

    /** An empty list is a mistake of a script, and must not mean all. */
    private static List<EntryId> ids(List<String> texts) {
        if (texts.isEmpty()) {
            throw EndpointRefusal.badRequest("ids are empty: name at least one entry, or leave ids out to mean all");
        }
        return texts.stream().map(QueueOperations::id).distinct().toList();
    }

    private static @Nullable EntryId idOrNull(@Nullable String text) {
        return text == null ? null : id(text);
    }

    private static EntryId id(String text) {
        try {
            return EntryId.parse(text.strip());
        } catch (RuntimeException e) {
            throw EndpointRefusal.badRequest(
                    "'" + text + "' is not an entry id: copy one from the list, it looks like ams-1:3:0:42");
        }
    }

    private static EndpointRefusal unknown(@Nullable String action, String allowed) {
        return EndpointRefusal.badRequest("action is '" + action + "', allowed are " + allowed);
    }
}
