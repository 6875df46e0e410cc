package io.georep.spring.boot.actuate;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.outbox.Outbox;
import io.georep.spi.PayloadCodec;
import io.georep.spring.outbox.OpenListener;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Remembers from whom this node took entries over since it started: the last {@value #RECORDS_MAX} queues of nodes, in the
 * order of their last adoptions. Thread-safe.
 */
public final class AdoptionLog implements OpenListener {
    static final int RECORDS_MAX = 1000;

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
    public record Adopted(
            String queue, String from, long entries, long possiblySent, Instant first, Instant last, String lastEntry) {
        private Adopted and(Instant now, boolean sent, EntryId id) {
            return new Adopted(queue, from, entries + 1, possiblySent + (sent ? 1 : 0), first, now, id.toString());
        }
    }

    private final Map<String, Adopted> adopted = new LinkedHashMap<>();

    @Override
    public <T> void opened(Outbox<T> outbox, PayloadCodec<T> codec, int f) {
        outbox.onAdoption(adoption ->
                record(outbox.name(), adoption.from(), adoption.delivery().id(), adoption.possiblySent()));
    }

    synchronized void record(String queue, NodeId node, EntryId id, boolean possiblySent) {
        String from = node.value();
        Instant now = Instant.now();
        Adopted before = adopted.remove(queue + "/" + from);
        if (before == null) {
            before = new Adopted(queue, from, 0, 0, now, now, id.toString());
        }
        adopted.put(queue + "/" + from, before.and(now, possiblySent, id));
        if (adopted.size() > RECORDS_MAX) {
            adopted.remove(adopted.keySet().iterator().next());
        }
    }

    synchronized List<Adopted> all() {
        return List.copyOf(adopted.values());
    }
}
