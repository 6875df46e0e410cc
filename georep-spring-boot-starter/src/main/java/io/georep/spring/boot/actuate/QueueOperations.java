package io.georep.spring.boot.actuate;

import io.georep.model.EntryId;
import io.georep.outbox.DeadLetter;
import io.georep.outbox.DeadLetters;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.StoredEntry;
import io.georep.spring.Outboxes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What an operator can do with the queues of this node. */
final class QueueOperations {
    private static final int PAGE = 100;

    /** Entries come with their payloads, which are of no use here: few at a time, so that few are in memory. */
    private static final int AT_ONCE = 16;

    /** Stands for all entries; leaving ids out does not, because a misspelt name would leave them out too. */
    private static final String ALL = "*";

    private final Outboxes outboxes;

    QueueOperations(Outboxes outboxes) {
        this.outboxes = outboxes;
    }

    /** Returns the queue of this name. */
    Outbox<?> open(String name) {
        Outbox<?> outbox = outboxes.opened(name);
        if (outbox == null) {
            throw EndpointRefusal.notFound(
                    "no queue '" + name + "' is open on this node: open are " + outboxes.names());
        }
        return outbox;
    }

    EndpointReport.LetterPage deadLetters(String name, @Nullable String after, @Nullable Integer max) {
        return letters(open(name).deadLetters(), idOrNull(after), size(max));
    }

    private static <T> EndpointReport.LetterPage letters(DeadLetters<T> all, @Nullable EntryId after, int max) {
        List<EndpointReport.Letter> letters = new ArrayList<>();
        EntryId last = after;
        DeadLetters.Page<T> page;
        do {
            page = NodeAnswers.of(all.list(last, Math.min(AT_ONCE, max - letters.size())));
            for (DeadLetter<T> letter : page.letters()) {
                last = letter.id();
                letters.add(EndpointReport.Letter.of(letter));
            }
        } while (page.more() && !page.letters().isEmpty() && letters.size() < max);
        return new EndpointReport.LetterPage(letters, page.more());
    }

    List<EndpointReport.Undecided> undecided(String name, @Nullable String after, @Nullable Integer max) {
        List<EndpointReport.Undecided> entries = new ArrayList<>();
        int most = size(max);
        forEachUndecided(open(name), idOrNull(after), most, entry -> {
            entries.add(EndpointReport.Undecided.of(entry));
            return entries.size() < most;
        });
        return entries;
    }

    /** Returns a dead letter or an undecided entry with its payload, as it is stored. */
    StoredEntry setAside(String name, String id) {
        return NodeAnswers.of(open(name).setAside(id(id)))
                .orElseThrow(() -> EndpointRefusal.notFound("entry " + id
                        + " is neither a dead letter nor undecided on this node: look at the list again"));
    }

    /** In the order of their ids, until there are no more or the visitor has enough. */
    private static <T> void forEachUndecided(
            Outbox<T> outbox, @Nullable EntryId after, int most, Predicate<Delivery<?>> visitor) {
        EntryId last = after;
        List<Delivery<T>> page;
        do {
            // A page may be short because entries ended meanwhile; only an empty one is the end.
            page = NodeAnswers.of(outbox.undecided(last, Math.min(AT_ONCE, most)));
            for (Delivery<T> entry : page) {
                last = entry.id();
                if (!visitor.test(entry)) {
                    return;
                }
            }
        } while (!page.isEmpty());
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
        return Done.of("queue", name, "done", String.valueOf(action));
    }

    Map<String, Object> changeLetters(String name, @Nullable String action, @Nullable List<String> ids) {
        DeadLetters<?> letters = open(name).deadLetters();
        if (!"replay".equals(action)) {
            throw unknown(action, "replay; to delete dead letters send DELETE instead of POST");
        }
        long count = NodeAnswers.of(isAll(ids, "replay") ? letters.replayAll() : letters.replay(ids(ids)));
        return Done.of("queue", name, "replayed", count);
    }

    Map<String, Object> deleteLetters(String name, @Nullable List<String> ids) {
        DeadLetters<?> letters = open(name).deadLetters();
        long count = NodeAnswers.of(isAll(ids, "delete") ? letters.deleteAll() : letters.delete(ids(ids)));
        return Done.of("queue", name, "deleted", count);
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
        forEachUndecided(outbox, null, AT_ONCE, entry -> {
            strange.remove(entry.id());
            return !strange.isEmpty();
        });
        if (!strange.isEmpty()) {
            throw EndpointRefusal.badRequest("not undecided on this node: " + strange
                    + "; nothing was done. See GET undecided/" + name + " for those that are");
        }
        outbox.decide(ids, commit);
        Map<String, Object> done = Done.of("queue", name, "done", commit ? "commit" : "withdraw");
        done.put("entries", ids.size());
        return done;
    }

    private static int size(@Nullable Integer max) {
        if (max != null && (max < 1 || max > DeadLetters.PAGE_MAX)) {
            throw EndpointRefusal.badRequest("max is " + max + ", allowed are 1 to " + DeadLetters.PAGE_MAX);
        }
        return max == null ? PAGE : max;
    }

    /** Nothing and an empty list are mistakes of a script or of a hand, and must not mean all. */
    private static boolean isAll(@Nullable List<String> ids, String action) {
        if (ids == null) {
            throw EndpointRefusal.badRequest(
                    "ids are missing: name the entries to " + action + ", or write " + ALL + " as ids to mean all");
        }
        return ids.size() == 1 && ids.get(0).strip().equals(ALL);
    }

    private static List<EntryId> ids(@Nullable List<String> texts) {
        if (texts == null || texts.isEmpty()) {
            throw EndpointRefusal.badRequest("ids are empty: name at least one entry");
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
