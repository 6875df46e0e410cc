package io.georep.outbox.core.holder;

import static io.georep.model.BrokenInvariantException.require;

import io.georep.model.BrokenInvariantException;
import io.georep.model.EntryId;
import io.georep.model.StoreState;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.core.context.AttemptMark;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.OwnerLease;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hands entries this node holds to the application (6.5), as many as it gave credit for (G24). Fresh entries come from a
 * bounded cache; the rest of a backlog stays in the store and is read in pages when its turn comes. What is being read counts
 * as part of the cache.
 */
public final class Deliveries {
    /** Most entries of one stream before the next stream of the queue has its turn. */
    private static final int TURN_ENTRIES = 256;

    private static final int PAGE_GROUPS = 256;
    private static final long PAGE_BYTES = 256 << 10;

    /** One queue with credit or entries. */
    private static final class Demand {
        final String queue;
        long credit;

        /** Streams with something ready, in the order of their turns. A stream that was forgotten and opened anew is another one. */
        final Set<StreamTable> streams = new LinkedHashSet<>();

        Demand(String queue) {
            this.queue = queue;
        }

        boolean canBeServed() {
            return credit > 0 && !streams.isEmpty();
        }
    }

    private final OutboxContext context;
    private final GroupCache cache;
    private final Map<String, Demand> demands = new LinkedHashMap<>();

    /** Queues with credit and entries: a turn looks at no others. */
    private final Set<Demand> serveable = new LinkedHashSet<>();

    /** Streams with credit of which no payload is at hand, in the order of their turns. */
    private final Set<StreamTable> waiting = new LinkedHashSet<>();

    private final Set<StreamTable> reading = new LinkedHashSet<>();

    /** What a page may take in memory: the last group on it may be as large as any. */
    private final long pageBytesMax;

    /** Whether what this node shares with others was withdrawn because it was removed. */
    private boolean sharedWithheld;

    public Deliveries(OutboxContext context) {
        this.context = context;
        this.cache = new GroupCache();
        pageBytesMax = PAGE_BYTES + Math.max(context.config.groupBytesMax(), context.config.payloadBytesMax());
    }

    private Demand demand(String queue) {
        return demands.computeIfAbsent(queue, Demand::new);
    }

    /** Credit or streams of a queue changed. */
    private void changed(Demand demand) {
        if (demand.canBeServed()) {
            serveable.add(demand);
        } else if (demand.credit == 0 && demand.streams.isEmpty()) {
            demands.remove(demand.queue);
        }
    }

    /** Queues entries that became ready; {@code group} is their payload if it is at hand. */
    public void offer(StreamTable table, RangeList offered, @Nullable Group group) {
        RangeList ranges = context.peers.selfRemoved() ? offered.without(shared(table, offered)) : offered;
        RangeList dead = context.attempts.dead(table, ranges).without(table.dead.within(ranges));
        if (!dead.isEmpty()) {
            context.ledger.note(table, Fact.Mark.DEAD_LETTER, dead); // another holder gave up on them
        }
        if (table.offered(ranges).isEmpty()) {
            return;
        }
        if (group != null && cache.bytes() + group.bytes().length() <= roomBytes()) {
            cache.add(table.id, group);
        }
        lineUp(table);
    }

    private void lineUp(StreamTable table) {
        Demand demand = demand(table.queue);
        demand.streams.add(table);
        changed(demand);
    }

    /** Returns how much may be at hand beside the pages that are being read. */
    private long roomBytes() {
        return context.config.cacheBytesMax() - reading.size() * pageBytesMax;
    }

    /** Takes entries out of the queue: this node may no longer hand them out. */
    public void withdraw(StreamTable table, RangeList ranges) {
        table.withdrawn(ranges);
        for (int i = 0; i < ranges.count(); i++) {
            cache.discard(table, ranges.from(i), ranges.to(i));
        }
        Demand demand = demands.get(table.queue);
        if (demand != null && table.ready.isEmpty() && demand.streams.remove(table)) {
            changed(demand);
        }
    }

    public void credit(String queue, int entries) {
        Demand demand = demand(queue);
        demand.credit += entries;
        changed(demand);
    }

    /** Returns the entries among these that have other owners. */
    private static RangeList shared(StreamTable table, RangeList ranges) {
        SequenceSet shared = new SequenceSet();
        for (Custodies.Part part : table.parts()) {
            if (part.custody().owners().size() > 1) {
                shared.addAll(part.members().within(ranges));
            }
        }
        return shared.all();
    }

    /** Withholds what others may have taken over, once this node knows that it was removed (6.5.9). */
    private void withholdShared() {
        boolean removed = context.peers.selfRemoved();
        if (removed && !sharedWithheld) {
            for (StreamTable table : context.ledger.tables()) {
                withdraw(table, shared(table, table.ready.all()));
            }
            tick();
        }
        sharedWithheld = removed;
    }

    /**
     * Called about once a second: asks again for entries that the application could not give back at first, because
     * their payload was being read.
     */
    public void tick() {
        if (context.peers.selfRemoved()) {
            for (StreamTable table : context.ledger.tables()) {
                context.recalls.ask(table, shared(table, table.taken.all()));
            }
        }
    }

    /**
     * Hands out what credit allows. Hands out nothing while the store may never keep the mark that an entry was
     * forwarded.
     */
    public void endOfTurn(Turn turn) {
        withholdShared();
        if (context.store == StoreState.STALLED) {
            return;
        }
        Iterator<Demand> demandsNow = serveable.iterator();
        while (demandsNow.hasNext()) {
            Demand demand = demandsNow.next();
            for (int streams = demand.streams.size();
                    streams > 0 && demand.credit > 0;
                    streams = serve(demand, streams, turn)) {
                // serve() moves on to the next stream
            }
            if (!demand.canBeServed()) {
                demandsNow.remove();
                changed(demand);
            }
        }
        readPages(turn);
    }

    /** Serves the next stream. Returns how many more streams to look at in this turn if none of them has anything. */
    private int serve(Demand demand, int streams, Turn turn) {
        StreamTable table = demand.streams.iterator().next();
        demand.streams.remove(table);
        if (table.ready.isEmpty()) {
            return streams - 1;
        }
        List<OutboxEvent.Delivered> batch = new ArrayList<>();
        RangeList taken = new RangeList();
        long limit = Math.min(demand.credit, TURN_ENTRIES);
        long next = table.ready.first();
        while (next >= 0 && batch.size() < limit) {
            Group group = cache.find(table.id, next);
            if (group == null) {
                break;
            }
            long end = Math.min(Math.min(group.to(), table.ready.nextAbsent(next)), next + limit - batch.size());
            deliver(table, group.withoutMost(next, end), next, end, batch);
            taken.add(next, end);
            next = table.ready.next(end);
        }
        if (batch.isEmpty()) {
            if (!reading.contains(table)) {
                waiting.add(table);
            }
            return streams - 1;
        }
        long before = table.ready.size();
        context.ledger.note(table, Fact.Mark.TAKEN, taken);
        require(table.ready.size() == before - batch.size(), "only what is ready is handed out", table);
        for (int i = 0; i < taken.count(); i++) {
            cache.discard(table, taken.from(i), taken.to(i));
        }
        if (!table.ready.isEmpty()) {
            demand.streams.add(table);
        }
        demand.credit -= batch.size();
        turn.notify(new OutboxEvent.Deliver(demand.queue, batch));
        return demand.streams.size();
    }

    /** Adds entries of a group to those to hand out. */
    void deliver(StreamTable table, Group group, long from, long to, List<OutboxEvent.Delivered> batch) {
        Map<Long, AttemptMark> marks = context.attempts.of(table);
        long next = from;
        while (next < to) {
            Custodies.Part part = table.partOf(next);
            if (part == null) {
                throw new BrokenInvariantException("entry " + next + " of " + table + " is ready but not held");
            }
            Custody custody = part.custody();
            long end = Math.min(to, part.members().nextAbsent(next));
            List<OwnerLease> leases = context.leases.of(table, custody, next, end);
            RepetitionCause ofAll = custody.adoptedFrom() != null
                    ? RepetitionCause.ADOPTED
                    : leases == null ? RepetitionCause.UNPROVEN : null;
            boolean hasDoubts = ofAll != RepetitionCause.ADOPTED && table.hasDoubts();
            for (; next < end; next++) {
                int attempts = marks == null
                        ? 0
                        : marks.getOrDefault(next, AttemptMark.NONE).attempts();
                RepetitionCause own = hasDoubts ? table.doubt(next) : null;
                batch.add(new OutboxEvent.Delivered(
                        new EntryId(table.id, next),
                        group.payload(next),
                        custody.adoptedFrom(),
                        custody.epoch(),
                        attempts > 0 ? RepetitionCause.ATTEMPTED : own == null ? ofAll : own,
                        leases == null ? List.of() : leases,
                        table.lateOwners,
                        attempts));
            }
        }
    }

    /** Reads for those that wait for it, in turns: as many pages at a time as half of the cache holds. */
    private void readPages(Turn turn) {
        Iterator<StreamTable> next = waiting.iterator();
        while (next.hasNext()
                && (reading.isEmpty() || (reading.size() + 1) * pageBytesMax <= context.config.cacheBytesMax() / 2)) {
            StreamTable table = next.next();
            next.remove();
            Demand demand = demands.get(table.queue);
            if (!table.ready.isEmpty() && (demand == null || demand.credit == 0)) {
                lineUp(table);
            } else if (!table.ready.isEmpty()) {
                readPage(table, table.ready.first(), turn);
            }
        }
    }

    private void readPage(StreamTable table, long sequence, Turn turn) {
        long first = table.groups.previous(sequence);
        if (first < 0) {
            throw new BrokenInvariantException("no group holds entry " + sequence + " of " + table);
        }
        reading.add(table);
        // Whoever has credit was handed everything at hand.
        cache.shrink(roomBytes());
        turn.read(
                OutboxKeys.group(table.id, first),
                OutboxKeys.group(table.id, Long.MAX_VALUE),
                PAGE_GROUPS,
                PAGE_BYTES,
                (pairs, more, later) -> pageRead(table, sequence, pairs));
    }

    private void pageRead(StreamTable table, long wanted, List<EntryStore.Pair> pairs) {
        reading.remove(table);
        boolean found = false;
        for (EntryStore.Pair pair : pairs) {
            Group group = Group.decode(pair.value());
            found |= group.contains(wanted);
            if (table.ready.intersects(group.first, group.to())) {
                cache.add(table.id, group);
            }
        }
        if (!found && table.ready.contains(wanted)) {
            throw new BrokenInvariantException("the payload of entry " + wanted + " of " + table + " is missing");
        }
        if (!table.ready.isEmpty()) {
            lineUp(table);
        }
    }

    /** Returns the payload bytes at hand, for tests. */
    public long cachedBytes() {
        return cache.bytes();
    }
}
