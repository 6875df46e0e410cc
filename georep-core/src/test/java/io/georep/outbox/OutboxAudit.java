package io.georep.outbox;

import io.georep.codec.BinReader;
import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.protocol.Peers;
import io.georep.spi.PeerSelection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

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
            return Custody.read(body, EntryState.INACTIVE).owners();
        }
        return List.of();
    }

    /** Owners that have not confirmed a DELETE or RELEASE. */
    public static Set<NodeId> untoldOwners(OutboxView view) {
        Set<NodeId> owners = new TreeSet<>();
        for (StreamTable table : view.ledger().tables()) {
            owners.addAll(table.untold.keySet());
            owners.addAll(table.unreleased.keySet());
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
            for (Map<NodeId, SequenceSet> duties : List.of(table.untold, table.unreleased, table.unconfirmed)) {
                if (duties.keySet().stream().anyMatch(answers)) {
                    return table + " has duties untold " + table.untold + ", unreleased " + table.unreleased
                            + ", unconfirmed " + table.unconfirmed;
                }
            }
        }
        if (outbox.pendingGroups() > 0) {
            return outbox.pendingGroups() + " groups of puts are kept";
        }
        return context.questions.open(answers);
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
        return table != null && table.untold.values().stream().anyMatch(members -> members.contains(id.sequence()));
    }

    /** Whether somebody has not confirmed this node's claim to the entry. */
    public static boolean isUnconfirmed(OutboxView view, EntryId id) {
        StreamTable table = view.ledger().find(id.stream());
        return table != null
                && table.unconfirmed.values().stream().anyMatch(members -> members.contains(id.sequence()));
    }
}
