package io.georep.spring.boot.actuate;

import io.georep.model.EntryId;
import io.georep.outbox.Adoption;
import io.georep.outbox.Outbox;
import io.georep.spi.PayloadCodec;
import io.georep.spring.outbox.OpenListener;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Remembers from whom this node took entries over since it started. Thread-safe. */
final class AdoptionLog implements OpenListener {
    /**
     * Entries of one queue taken over from one node and handed to the application.
     *
     * @param queue name of the queue
     * @param from the node that was responsible before
     * @param entries how many
     * @param possiblySent how many of them may have been forwarded before
     * @param first when the first one was handed over
     * @param last when the last one was
     * @param lastEntry the last one
     */
    record Adopted(
            String queue, String from, long entries, long possiblySent, Instant first, Instant last, String lastEntry) {
        private Adopted and(Instant now, boolean sent, EntryId id) {
            return new Adopted(queue, from, entries + 1, possiblySent + (sent ? 1 : 0), first, now, id.toString());
        }
    }

    private final Map<String, Adopted> adopted = new TreeMap<>();

    @Override
    public <T> void opened(Outbox<T> outbox, PayloadCodec<T> codec, int f) {
        outbox.onAdoption(adoption -> record(outbox.name(), adoption));
    }

    private synchronized void record(String queue, Adoption<?> adoption) {
        String from = adoption.from().value();
        EntryId id = adoption.delivery().id();
        Instant now = Instant.now();
        Adopted before =
                adopted.getOrDefault(queue + "/" + from, new Adopted(queue, from, 0, 0, now, now, id.toString()));
        adopted.put(queue + "/" + from, before.and(now, adoption.possiblySent(), id));
    }

    synchronized List<Adopted> all() {
        return List.copyOf(adopted.values());
    }
}
