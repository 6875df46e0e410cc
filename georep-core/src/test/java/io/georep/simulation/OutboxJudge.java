package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.codec.BinReader;
import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxAudit;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.OutboxView;
import io.georep.outbox.core.OutboxWire;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.FrameHeader;
import io.georep.runtime.Input;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** What must hold of entries at every moment of every run; named as in {@code docs/how-it-works/protocol.md}. */
final class OutboxJudge {
    private final OutboxWing outbox;
    private final WorkJudge work;
    private final TreeMap<NodeId, CustodyJudge> judges = new TreeMap<>();

    /** Whom a node had reason to tell of an entry, by what it owed then. */
    private final TreeMap<EntryId, TreeSet<NodeId>> chosen = new TreeMap<>();

    /** Copies of payloads sent. */
    private long copiesSent;

    OutboxJudge(OutboxWing outbox) {
        this.outbox = outbox;
        work = new WorkJudge(outbox);
    }

    /** Copies of payloads sent so far (I18). */
    long copiesSent() {
        return copiesSent;
    }

    void booting(Host host) {
        judge(host).booting();
    }

    /** A message of an outbox leaves. */
    void sent(NodeId from, NodeId to, int type, Slice body) {
        OutboxWire.Subject subject = OutboxWire.subject(type, new BinReader(body));
        if (subject.kind() != OutboxWire.Kind.SETTLED) {
            for (long[] range : subject.ranges()) {
                for (long sequence = range[0]; sequence < range[1]; sequence++) {
                    work.sent(from, to, subject.kind(), new EntryId(subject.stream(), sequence));
                }
            }
        }
        switch (subject.kind()) {
            case REPLICATE -> {
                Peer peer = outbox.host(from).membership().find(to);
                // Frames leave at the end of a turn: the peer may have ceased to be Active in the very turn that wrote
                // one. Nothing relies on such a copy: a send succeeds by acknowledgements alone, and the owner that is
                // silent is replaced.
                boolean left = peer.stateSinceNanos()
                        == outbox.host(from).node().clock().nanos();
                check(
                        peer.state() == PeerState.ACTIVE || left,
                        "I6",
                        () -> from + " sends a copy of " + text(subject) + " to " + to + ", which is " + peer.state());
                var owners = OutboxAudit.owners(type, new BinReader(body));
                check(
                        owners.contains(from) && owners.contains(to),
                        "I4",
                        () -> from + " sends a copy of " + text(subject) + " to " + to + ", owners are " + owners);
                for (long[] range : subject.ranges()) {
                    copiesSent += range[1] - range[0];
                    for (long sequence = range[0]; sequence < range[1]; sequence++) {
                        outbox.history()
                                .entry(new EntryId(subject.stream(), sequence))
                                .everOwners
                                .addAll(owners);
                    }
                }
            }
            case DELETE, UPDATE, RELEASE -> {
                for (long[] range : subject.ranges()) {
                    for (long sequence = range[0]; sequence < range[1]; sequence++) {
                        betweenOwners(subject.kind(), from, to, new EntryId(subject.stream(), sequence));
                    }
                }
            }
            default -> {}
        }
    }

    /**
     * I4. Who speaks is an owner, the origin, or both were named in a claim once. A node chosen as owner whose copy never
     * left is told of claims and of the end all the same, and only the one who chose it knows: it owes it the message.
     */
    private void betweenOwners(OutboxWire.Kind kind, NodeId from, NodeId to, EntryId id) {
        History.Entry entry = outbox.history().entry(id);
        TreeSet<NodeId> known = chosen.computeIfAbsent(id, none -> new TreeSet<>());
        if (!known.contains(to) && OutboxAudit.owes(outbox.host(from).view(), to, id)) {
            known.add(to);
        }
        check(
                (entry.everOwners.contains(from) || from.equals(id.origin()))
                        && (entry.everOwners.contains(to) || known.contains(to)),
                "I4",
                () -> from + " sends " + kind + " to " + to + " for " + entry);
        if (kind == OutboxWire.Kind.UPDATE) {
            entry.everOwners.add(to);
        }
    }

    private static String text(OutboxWire.Subject subject) {
        StringBuilder text = new StringBuilder(subject.kind() + " " + subject.stream());
        subject.ranges()
                .forEach(range -> text.append(' ').append(range[0]).append("..").append(range[1]));
        return text.toString();
    }

    private void frameArrived(Host host, Input.Frame frame) {
        BinReader in = new BinReader(Slice.of(frame.bytes()));
        FrameHeader.read(in);
        while (in.hasMore()) {
            int channel = in.u8();
            int type = in.u8();
            Slice body = in.bytes();
            if (channel == OutboxProtocol.CHANNEL) {
                judge(host).hears(frame.from().id(), type, new BinReader(body));
            }
        }
    }

    // --- events

    void event(Host host, Object event) {
        if (event instanceof OutboxEvent.Stored stored) {
            for (int i = 0; i < stored.puts().size(); i++) {
                stored(host, new EntryId(stored.stream(), stored.first() + i), (History.Put)
                        stored.puts().get(i).token());
            }
        } else if (event instanceof OutboxEvent.Deliver deliver) {
            deliver.entries().forEach(entry -> delivered(host, entry));
        } else if (event instanceof OutboxEvent.Adopted adopted) {
            outbox.history().adopters(adopted.queue()).add(host.id());
        }
    }

    /** I2: at the moment of success all owners hold the entry durably, or it is over. */
    private void stored(Host host, EntryId id, History.Put put) {
        OutboxView view = host.view();
        OutboxView.Held held = view.find(id);
        History.Entry entry = outbox.history().identify(id, put);
        entry.everOwners.add(host.id());
        check(
                !host.knewOfRemoval(put.at),
                "M23",
                () -> entry + " is a success at " + host + ", which knew before that it was removed");
        if (held == null) {
            check(
                    view.isFinished(id) || isWholeElsewhere(id, put.f, -1),
                    "I2",
                    () -> entry + " is a success at " + host + ", which does not hold it");
            return;
        }
        check(held.owners().size() == put.f + 1, "I1", () -> entry + " has the owners " + held.owners());
        for (NodeId owner : held.owners()) {
            Host other = outbox.host(owner);
            if (outbox.cluster().isDead(other.node()) || other.storeReplacedAt() > put.at) {
                // It may have lost what it acknowledged; that counts as destroyed, not as never stored.
                continue;
            }
            // An owner that is done with it may have left since; one that runs must know.
            boolean over = other.isRunning() ? other.view().isFinished(id) : !entry.deliveries.isEmpty();
            check(
                    over || isDurableAt(other, id) || isWholeElsewhere(id, put.f, held.epoch()),
                    "I2",
                    () -> entry + " is a success at " + host + ", but " + owner + " holds no durable copy: " + held);
        }
    }

    /**
     * Whether one who adopted an entry later than this epoch and all owners it names have durable copies. One who stood still
     * may learn in one turn that its put was adopted with its own list, which makes it a success, and that it was released
     * since (8300009582), or before it hears that (-5795895947922061986).
     */
    private boolean isWholeElsewhere(EntryId id, int f, long epoch) {
        for (Host holder : outbox.hosts()) {
            OutboxView.Held held = holder.isRunning() ? holder.view().find(id) : null;
            if (held != null && held.state() == EntryState.HELD && held.epoch() > epoch) {
                return held.owners().size() == f + 1
                        && held.owners().stream().allMatch(owner -> isDurableAt(outbox.host(owner), id));
            }
        }
        return false;
    }

    /** Whether a crash at this moment would leave a copy on the disk of this machine. */
    static boolean isDurableAt(Host host, EntryId id) {
        return host.node()
                .disk()
                .surviving(OutboxAudit.firstKey(id.stream()), OutboxAudit.lastKey(id))
                .anyMatch(pair -> OutboxAudit.span(pair.value()).contains(id));
    }

    /** I5: only the holder hands an entry out. */
    private void delivered(Host host, OutboxEvent.Delivered entry) {
        OutboxView.Held held = host.view().find(entry.id());
        History.Put put = outbox.history().putOf(entry.payload());
        check(
                held != null && held.state() == EntryState.HELD && held.taken() && !held.heldBack() && !held.dead(),
                "I5",
                () -> entry.id() + " " + put + " is handed out at " + host + ", which has " + held);
        check(
                !host.knewOfRemoval(outbox.world().now())
                        || held.owners().size() == 1
                        || host.application().rereads(entry.id()),
                "6.5.9",
                () -> held + " has other owners, and is handed out at " + host + ", which knows that it was removed");
        boolean own = entry.id().origin().equals(host.id()) && held.epoch() == 0;
        boolean sameBoot = put.node.equals(host.id()) && put.boot == host.node().boots();
        check(
                !own || !sameBoot || put.answer != History.Answer.INDETERMINATE,
                "I5",
                () -> put + " failed and is handed out at " + host);
    }

    // --- state of a node

    void turned(Host host) {
        judge(host).turned();
    }

    void turning(Host host, List<Input> inputs) {
        judge(host).turning();
        for (Input input : inputs) {
            if (input instanceof Input.Frame frame) {
                frameArrived(host, frame);
            }
        }
    }

    void stopped(Host host, long survived) {
        judge(host).stopped(survived);
    }

    private CustodyJudge judge(Host host) {
        return judges.computeIfAbsent(host.id(), none -> new CustodyJudge(host, outbox));
    }
}
