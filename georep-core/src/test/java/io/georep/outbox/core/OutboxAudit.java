package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.AdoptionRights;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.OwnerView;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Peers;
import io.georep.spi.EntryStore;
import io.georep.spi.PeerSelection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What checkers outside this package need to know about its records and messages. */
public final class OutboxAudit {
    /**
     * Entries whose payload a stored pair holds.
     *
     * @param to sequence number behind the last one
     */
    public record Span(StreamId stream, long first, long to) {
        /** Whether the entry is among them. */
        public boolean contains(EntryId id) {
            return id.stream().equals(stream) && id.sequence() >= first && id.sequence() < to;
        }
    }

    private OutboxAudit() {}

    /** An outbox with one rule of the papers that is known to lose entries: who cedes removes (gap G6). */
    public static OutboxProtocol removingOnReturn(ProtocolConfig config, Peers peers, PeerSelection selection) {
        OutboxProtocol outbox = new OutboxProtocol(config, peers, selection);
        outbox.removeCededCopies();
        return outbox;
    }

    /** An outbox that splits messages and writes snapshots when there is little to say. */
    public static OutboxProtocol splittingEarly(
            ProtocolConfig config, Peers peers, PeerSelection selection, int rangesMax, long snapshotAfterBytes) {
        OutboxProtocol outbox = new OutboxProtocol(config, peers, selection);
        outbox.splitEarly(rangesMax, snapshotAfterBytes);
        return outbox;
    }

    /** First key of all groups. */
    public static byte[] groupsFrom() {
        return new byte[] {OutboxProtocol.CHANNEL, 'G'};
    }

    /** Key behind all groups. */
    public static byte[] groupsTo() {
        return new byte[] {OutboxProtocol.CHANNEL, 'G' + 1};
    }

    /** First key a group of this stream can have. */
    public static byte[] firstKey(StreamId stream) {
        return OutboxKeys.group(stream, 0);
    }

    /** Last key the group that holds this entry can have. */
    public static byte[] lastKey(EntryId id) {
        return OutboxKeys.group(id.stream(), id.sequence());
    }

    /** What a stored group holds. */
    public static Span span(Slice value) {
        Group group = Group.decode(value);
        return new Span(group.stream, group.first, group.to());
    }

    /** The owners a message names: those of the custody in REPLICATE, UPDATE and RELEASE, else none. */
    public static List<NodeId> owners(int type, BinReader body) {
        if (type == OutboxMessages.REPLICATE) {
            return Group.decode(body.raw(body.remaining())).custody.owners();
        }
        if (type == OutboxMessages.UPDATE || type == OutboxMessages.RELEASE) {
            body.stream();
            body.text();
            return Custody.read(body, EntryState.COPY).owners();
        }
        return List.of();
    }

    /**
     * What a message says about who has entries.
     *
     * @param ranges half-open ranges of sequence numbers as (from, to) pairs
     * @param epoch of the claim it tells of
     * @param order of that claim; empty when there is none
     * @param lacks whether the sender says that it has no copy
     * @param waits whether it says that it has a copy and does not hold the entries
     */
    public record Word(
            StreamId stream, List<long[]> ranges, long epoch, List<NodeId> order, boolean lacks, boolean waits) {
        /** Whether it is about this entry. */
        public boolean concerns(EntryId id) {
            return id.stream().equals(stream)
                    && ranges.stream().anyMatch(range -> range[0] <= id.sequence() && id.sequence() < range[1]);
        }
    }

    /** Whether the sender of this message says that it may adopt; null when it is about something else. */
    public static Boolean mayAdopt(int type, BinReader body) {
        return type == OutboxMessages.ADOPTION ? AdoptionRights.read(body) : null;
    }

    /** What a message says about who has entries, null when it is about something else. */
    public static Word word(int type, BinReader body) {
        if (type == OutboxMessages.REPLICATE) {
            Group group = Group.decode(body.raw(body.remaining()));
            RangeList ranges = RangeList.of(group.first, group.to());
            return word(group.stream, ranges, group.custody, false, false);
        }
        if (type == OutboxMessages.UPDATE || type == OutboxMessages.RELEASE) {
            OutboxMessages.Message message = OutboxMessages.Message.read(type, body);
            return word(message.stream(), message.ranges(), message.claim(), false, false);
        }
        if (type == OutboxMessages.ANSWER) {
            OutboxMessages.Message message = OutboxMessages.Message.read(type, body);
            OutboxMessages.Answer answer = message.answer();
            boolean waits = answer.status() == OutboxMessages.ANSWER_COPY;
            return answer.status() == OutboxMessages.ANSWER_FINISHED
                    ? null
                    : word(message.stream(), answer.ranges(), answer.custody(), !answer.hasCopy(), waits);
        }
        return null;
    }

    private static Word word(StreamId stream, RangeList ranges, Custody claim, boolean lacks, boolean waits) {
        List<long[]> pairs = new ArrayList<>();
        for (int i = 0; i < ranges.count(); i++) {
            pairs.add(new long[] {ranges.from(i), ranges.to(i)});
        }
        return claim == null
                ? new Word(stream, pairs, 0, List.of(), lacks, waits)
                : new Word(stream, pairs, claim.epoch(), claim.order(), lacks, waits);
    }

    /**
     * Live entries of a stream, one after the other, that are held in the same way.
     *
     * @param to sequence number behind the last one
     * @param state RECEIVED while their puts wait for copies, STORED at the holder, COPY for copies
     */
    public record Stretch(long from, long to, EntryState state, long epoch, List<NodeId> owners, List<NodeId> order) {
        /** Whether the entries of another one are held in the same way, by the same claim. */
        public boolean isLike(Stretch other) {
            return state == other.state && epoch == other.epoch && owners == other.owners && order == other.order;
        }
    }

    /** The live entries of every stream something was written about at this time of the loop or later, in ascending order. */
    public static Map<StreamId, List<Stretch>> heldSince(OutboxView view, long loopNanos) {
        Map<StreamId, List<Stretch>> held = new TreeMap<>();
        for (StreamTable table : view.ledger().tables()) {
            if (table.touchedNanos - loopNanos >= 0) {
                held.put(table.id, stretches(table));
            }
        }
        return held;
    }

    /** The live entries of every stream that has some, in ascending order. */
    public static Map<StreamId, List<Stretch>> held(OutboxView view) {
        Map<StreamId, List<Stretch>> held = new TreeMap<>();
        for (StreamTable table : view.ledger().tables()) {
            List<Stretch> all = stretches(table);
            if (!all.isEmpty()) {
                held.put(table.id, all);
            }
        }
        return held;
    }

    private static List<Stretch> stretches(StreamTable table) {
        List<Stretch> all = new ArrayList<>();
        for (Custodies.Part part : table.parts()) {
            Custody custody = part.custody();
            if (custody.state() != EntryState.REMOVED) {
                part.members().forEachRun(0, Long.MAX_VALUE, (from, to) -> {
                    for (long at = from; at < to; ) {
                        boolean isPending = table.pending.contains(at);
                        long next = isPending ? table.pending.nextAbsent(at) : table.pending.next(at);
                        long end = next < 0 ? to : Math.min(next, to);
                        EntryState state = isPending ? EntryState.RECEIVED : custody.state();
                        all.add(new Stretch(at, end, state, custody.epoch(), custody.owners(), custody.order()));
                        at = end;
                    }
                });
            }
        }
        all.sort(Comparator.comparingLong(Stretch::from));
        return all;
    }

    /** Whether a node keeps a table of this stream. */
    public static boolean knows(OutboxView view, StreamId stream) {
        return view.ledger().find(stream) != null;
    }

    /** Whether a node has something to tell another one about an entry: as its holder, or because it is over. */
    public static boolean owes(OutboxView view, NodeId to, EntryId id) {
        StreamTable table = view.ledger().find(id.stream());
        if (table == null) {
            return false;
        }
        Custody custody = table.custodyOf(id.sequence());
        return (custody != null && custody.owners().contains(to))
                || Stream.of(table.duties.untold, table.duties.unreleased, table.duties.unconfirmed)
                        .anyMatch(duty -> duty.of(to).contains(id.sequence()));
    }

    /** Whether any node has to tell one of these that it is no owner of an entry any more. */
    public static boolean releases(Stream<OutboxView> views, EntryId id, NodeId... former) {
        return views.map(view -> view.ledger().find(id.stream()))
                .filter(Objects::nonNull)
                .anyMatch(table -> Stream.of(former)
                        .anyMatch(node -> table.duties.unreleased.of(node).contains(id.sequence())));
    }

    /** Whether a node asks, restores, or has to tell somebody something: a bad moment for a crash. */
    public static boolean isOnDuty(OutboxView view) {
        return view.ledger().tables().stream()
                .anyMatch(table -> !table.heldBack.isEmpty()
                        || !table.duties.missing.isEmpty()
                        || !table.duties.unreleased.isEmpty()
                        || !table.duties.unconfirmed.isEmpty());
    }

    /** Owners that have not confirmed a DELETE or RELEASE. */
    public static Set<NodeId> untoldOwners(OutboxView view) {
        Set<NodeId> owners = new TreeSet<>();
        for (StreamTable table : view.ledger().tables()) {
            owners.addAll(table.duties.untold.owners());
            owners.addAll(table.duties.unreleased.owners());
        }
        return owners;
    }

    /**
     * What a node keeps although nothing is left to do: null when nothing but floors.
     *
     * @param settles whether the origin of a stream can still tell which of its entries are over
     * @param answers whether a node is there to confirm and to answer
     */
    public static String remains(OutboxProtocol outbox, Predicate<StreamId> settles, Predicate<NodeId> answers) {
        OutboxContext context = outbox.context();
        for (StreamTable table : context.ledger.tables()) {
            long released = table.count(EntryState.REMOVED);
            if (settles.test(table.id)
                    && (released > 0 || table.finished.above().size() > 0)) {
                return table + " has the floor " + table.finished.floor() + ", tombstones above it "
                        + table.finished.above() + ", and remembers the release of " + released;
            }
            for (OwnerView duties : List.of(table.duties.untold, table.duties.unreleased, table.duties.unconfirmed)) {
                if (duties.owners().stream().anyMatch(answers)) {
                    return table + " has duties untold " + table.duties.untold + ", unreleased "
                            + table.duties.unreleased + ", unconfirmed " + table.duties.unconfirmed;
                }
            }
        }
        if (outbox.pendingGroups() > 0) {
            return outbox.pendingGroups() + " groups of puts are kept";
        }
        return context.openQueries.open(answers);
    }

    /** Whether a node accepted the entries of a stream in its present boot. */
    public static boolean isOfThisBoot(OutboxProtocol outbox, StreamId stream) {
        return outbox.context().ledger.boot() == stream.boot();
    }

    /** Groups of own puts a node keeps in memory. */
    public static int pendingGroups(OutboxProtocol outbox) {
        return outbox.pendingGroups();
    }

    /** Whether some owner has not confirmed that an entry is over. */
    public static boolean isUntold(OutboxView view, EntryId id) {
        StreamTable table = view.ledger().find(id.stream());
        return table != null && table.duties.untold.contains(id.sequence());
    }

    /** Fails when what a node knows is not what it would know after reading this store. */
    public static void assertReplays(OutboxProtocol outbox, EntryStore store) {
        Replayed.assertSame(outbox.context().ledger, store);
    }

    /** Whether somebody has not confirmed this node's claim to the entry. */
    public static boolean isUnconfirmed(OutboxView view, EntryId id) {
        StreamTable table = view.ledger().find(id.stream());
        return table != null && table.duties.unconfirmed.contains(id.sequence());
    }
}
