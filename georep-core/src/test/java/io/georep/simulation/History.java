package io.georep.simulation;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxAudit;
import io.georep.spi.EntryStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;

/** Everything producers asked for and the consumer got: the truth no node knows. */
final class History {
    /** What a producer knows of its put. */
    enum Answer {
        /** Nothing yet. */
        OPEN,
        /** f+1 copies are durable. */
        STORED,
        /** Nothing was stored anywhere. */
        REJECTED,
        /** May be delivered. */
        INDETERMINATE,
        /** The process died before it answered: may be delivered. */
        LOST
    }

    /** What became of the transaction a prepared put belongs to. */
    enum Decision {
        /** It has not ended. */
        OPEN,
        /** The entry is to be delivered. */
        COMMITTED,
        /** The entry must never be delivered. */
        WITHDRAWN
    }

    /** One entry as its producer sees it. */
    static final class Put {
        final long number;
        final NodeId node;
        final int boot;
        final String queue;
        final int f;
        final long at;
        Answer answer = Answer.OPEN;

        /** Why it failed, for the text. */
        String cause = "";

        EntryId id;

        /** Whether it waits for the end of a transaction; what became of that is known to all, like a database. */
        boolean prepared;

        Decision decision = Decision.OPEN;

        /** When its time to live is over, by the wall clock of who has it; 0 for never. */
        long expiresAtMillis;

        Put(long number, NodeId node, int boot, String queue, int f, long at) {
            this.number = number;
            this.node = node;
            this.boot = boot;
            this.queue = queue;
            this.f = f;
            this.at = at;
        }

        @Override
        public String toString() {
            return "put " + number + " (" + queue + ", f=" + f + ") at " + node + "#" + boot + " " + answer
                    + (cause.isEmpty() ? "" : " (" + cause + ")")
                    + (prepared ? " " + decision : "")
                    + (id == null ? "" : " as " + id);
        }
    }

    /** The consumer took an entry from a node. */
    static final class Delivery {
        final NodeId node;
        final int boot;
        final long at;

        /** Whether the handler was told that somebody may have forwarded it before. */
        final boolean possiblySent;

        /** Whether the note that it was handed out was durable when the process ended, or the process lives. */
        boolean noteSurvived = true;

        /** Whether the node's mark was durable when its process ended. */
        boolean markSurvived;

        Delivery(NodeId node, int boot, long at, boolean possiblySent) {
            this.possiblySent = possiblySent;
            this.node = node;
            this.boot = boot;
            this.at = at;
        }

        @Override
        public String toString() {
            return "%s#%d at %.6f%s".formatted(node, boot, at / 1e9, possiblySent ? " possibly sent" : "");
        }
    }

    /**
     * A node took an entry over.
     *
     * @param epoch of its claim
     * @param from the holder by the claim before, as far as the node knew
     */
    record Takeover(NodeId by, long epoch, NodeId from, long at) {}

    /** One entry as nodes and consumer see it. */
    static final class Entry {
        final EntryId id;
        Put put;
        final TreeSet<NodeId> everOwners = new TreeSet<>();
        final List<Delivery> deliveries = new ArrayList<>();
        final List<Takeover> takeovers = new ArrayList<>();

        /** How many copies empty or older stores and deaths took away since there were f + 1 of them for the last time. */
        int copiesDestroyed;

        /** An operator deleted it as a dead letter, or its consumer took it no more. */
        boolean disposed;

        /** Most failed attempts that a node reported of it. */
        int failures;

        Entry(EntryId id) {
            this.id = id;
        }

        /** Whether the rules of the game allow that nobody ever gets it. */
        boolean isExcused() {
            return put == null
                    || put.answer != Answer.STORED
                    || (put.prepared && put.decision != Decision.COMMITTED)
                    || disposed
                    || copiesDestroyed > put.f;
        }

        @Override
        public String toString() {
            return id + " " + put + " owners " + everOwners + " destroyed " + copiesDestroyed + " deliveries "
                    + deliveries + (disposed ? " disposed" : "");
        }
    }

    private final List<Put> puts = new ArrayList<>();
    private final TreeMap<EntryId, Entry> entries = new TreeMap<>();
    private final TreeMap<String, TreeSet<NodeId>> adopters = new TreeMap<>();

    /** Which nodes adopted entries of a queue. */
    TreeSet<NodeId> adopters(String queue) {
        return adopters.computeIfAbsent(queue, none -> new TreeSet<>());
    }

    /** A producer is about to put something. */
    Put put(NodeId node, int boot, String queue, int f, long at) {
        Put put = new Put(puts.size(), node, boot, queue, f, at);
        puts.add(put);
        return put;
    }

    /** Payload of a put: its number, and filler that follows from it. */
    static Slice payload(Put put, int length) {
        BinWriter out = new BinWriter(length + 8).i64(put.number);
        for (int i = 0; i < length; i++) {
            out.u8((int) (put.number * 31 + i) & 0xff);
        }
        return out.toSlice();
    }

    /** The put a payload belongs to. */
    Put putOf(Slice payload) {
        BinReader in = new BinReader(payload);
        long number = in.i64();
        for (int i = 0; in.hasMore(); i++) {
            if (in.u8() != ((int) (number * 31 + i) & 0xff)) {
                throw new AssertionError("the payload of put " + number + " was changed");
            }
        }
        return puts.get((int) number);
    }

    /** Entries that were acknowledged. */
    long successes() {
        return puts.stream().filter(put -> put.answer == Answer.STORED).count();
    }

    List<Put> puts() {
        return puts;
    }

    Collection<Entry> entries() {
        return entries.values();
    }

    /** The entry of this id. */
    Entry entry(EntryId id) {
        return entries.computeIfAbsent(id, Entry::new);
    }

    /** Learns which put an entry is. */
    Entry identify(EntryId id, Put put) {
        Entry entry = entry(id);
        if ((put.id != null && !put.id.equals(id)) || (entry.put != null && entry.put != put)) {
            throw new InvariantViolation("ids", put + " is also " + id + ", which was " + entry.put);
        }
        put.id = id;
        entry.put = put;
        return entry;
    }

    /**
     * The copies on this disk that the other state of the disk does not have are gone for ever.
     *
     * @param elsewhere how many other running nodes have a durable copy of an entry
     */
    void destroyed(SimulatedDisk disk, SimulatedDisk.Image afterwards, ToIntFunction<EntryId> elsewhere) {
        List<OutboxAudit.Span> kept = new ArrayList<>();
        if (afterwards != null) {
            afterwards
                    .pairs()
                    .subMap(OutboxAudit.groupsFrom(), OutboxAudit.groupsTo())
                    .values()
                    .forEach(value -> kept.add(OutboxAudit.span(value.bytes())));
        }
        for (EntryStore.Pair pair :
                disk.surviving(OutboxAudit.groupsFrom(), OutboxAudit.groupsTo()).toList()) {
            OutboxAudit.Span span = OutboxAudit.span(pair.value());
            for (long sequence = span.first(); sequence < span.to(); sequence++) {
                EntryId id = new EntryId(span.stream(), sequence);
                if (kept.stream().noneMatch(other -> other.contains(id))) {
                    Entry entry = entry(id);
                    boolean whole =
                            entry.copiesDestroyed > 0 && entry.put != null && elsewhere.applyAsInt(id) >= entry.put.f;
                    entry.copiesDestroyed = whole ? 1 : entry.copiesDestroyed + 1;
                }
            }
        }
    }
}
