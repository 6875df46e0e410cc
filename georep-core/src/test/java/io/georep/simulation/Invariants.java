package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.codec.BinReader;
import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.outbox.OutboxAudit;
import io.georep.outbox.OutboxEvent;
import io.georep.outbox.OutboxProtocol;
import io.georep.outbox.OutboxView;
import io.georep.outbox.OutboxWire;
import io.georep.protocol.FrameHeader;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.LifeSigns;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.runtime.Input;
import io.georep.spi.EntryStore;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/** What must hold at every moment of every run; named as in {@code docs/protocol.md}. */
final class Invariants implements SimulatedNetwork.Tap {
    /** What one node has heard of another in its present boot. */
    private static final class Heard {
        long incarnation;
        long nonce;
        long atNanos = Long.MIN_VALUE;
        long highestSeen;
    }

    /** What checks remember of one node. */
    private static final class Memory {
        final TreeMap<NodeId, Heard> heard = new TreeMap<>();
        List<OutboxView.Held> held = List.of();
        boolean spokenTo;
        int turns;
    }

    private final SimulatedCluster cluster;
    private final TreeMap<NodeId, Memory> memories = new TreeMap<>();

    /** When a frame was sent last, by sender and receiver. */
    private final TreeMap<NodeId, TreeMap<NodeId, Long>> sentAt = new TreeMap<>();

    /** Copies of payloads sent. */
    private long copiesSent;

    Invariants(SimulatedCluster cluster) {
        this.cluster = cluster;
    }

    private Memory memory(Host host) {
        return memories.computeIfAbsent(host.id(), none -> new Memory());
    }

    /** Copies of payloads sent so far (I18). */
    long copiesSent() {
        return copiesSent;
    }

    /** When {@code from} last sent a frame to {@code to}. */
    long sentAt(NodeId from, NodeId to) {
        return sentAt.getOrDefault(from, new TreeMap<>()).getOrDefault(to, 0L);
    }

    void booting(Host host) {
        memories.put(host.id(), new Memory());
    }

    // --- frames

    @Override
    public void refused(NodeIdentity by, NodeIdentity peer, String reason) {
        check(!reason.startsWith("malformed"), "wire", () -> by.id() + " refuses " + peer.id() + ": " + reason);
    }

    @Override
    public void sent(NodeIdentity from, NodeIdentity to, byte[] frame) {
        sentAt.computeIfAbsent(from.id(), none -> new TreeMap<>())
                .put(to.id(), cluster.world().now());
        BinReader in = new BinReader(Slice.of(frame));
        FrameHeader.read(in);
        while (in.hasMore()) {
            int channel = in.u8();
            int type = in.u8();
            Slice body = in.bytes();
            if (channel == OutboxProtocol.CHANNEL) {
                message(from.id(), to.id(), type, body);
            }
        }
    }

    private void message(NodeId from, NodeId to, int type, Slice body) {
        OutboxWire.Subject subject = OutboxWire.subject(type, new BinReader(body));
        switch (subject.kind()) {
            case REPLICATE -> {
                Peer peer = cluster.host(from).membership().find(to);
                // Frames leave at the end of a turn: the peer may have ceased to be Active in the very turn that wrote
                // one.
                boolean left = peer.stateSinceNanos()
                        == cluster.host(from).node().clock().nanos();
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
                        cluster.history()
                                .entry(new EntryId(subject.stream(), sequence))
                                .everOwners
                                .addAll(owners);
                    }
                }
            }
            case DELETE, UPDATE -> {
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
     * I4. A node chosen as owner whose copy never left is told of claims and of the end all the same, and only the one who
     * chose it knows: the origin of a put, or a holder looking for a new owner.
     */
    private void betweenOwners(OutboxWire.Kind kind, NodeId from, NodeId to, EntryId id) {
        History.Entry entry = cluster.history().entry(id);
        boolean mayHaveChosen = from.equals(id.origin()) || cluster.options().relocates();
        check(
                (entry.everOwners.contains(from) || from.equals(id.origin()))
                        && (entry.everOwners.contains(to) || mayHaveChosen),
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

    // --- life signs

    void frameArrived(Host host, Input.Frame frame) {
        memory(host).spokenTo = true;
        long incarnation = Math.max(
                frame.from().incarnation(),
                FrameHeader.read(new BinReader(Slice.of(frame.bytes()))).incarnation());
        Heard heard = memory(host).heard.computeIfAbsent(frame.from().id(), none -> new Heard());
        if (incarnation < heard.incarnation
                || (incarnation == heard.incarnation && frame.from().nonce() != heard.nonce)) {
            return;
        }
        Peer known = host.membership().find(frame.from().id());
        boolean removed = known != null && known.removed() && known.incarnation() == incarnation;
        if (known != null && (known.incarnation() > incarnation || removed)) {
            return;
        }
        heard.incarnation = incarnation;
        heard.nonce = frame.from().nonce();
        heard.atNanos = host.node().clock().nanos();
    }

    void lifeSign(Host host, NodeIdentity from) {
        Heard heard = memory(host).heard.get(from.id());
        if (heard != null && heard.nonce == from.nonce()) {
            heard.atNanos = host.node().clock().nanos();
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
            cluster.history().adopters(adopted.queue()).add(host.id());
        } else if (event instanceof MembershipEvent.StateChanged changed) {
            stateChanged(host, changed);
        }
    }

    /** I2: at the moment of success all owners hold the entry durably, or it is over. */
    private void stored(Host host, EntryId id, History.Put put) {
        OutboxView view = host.view();
        OutboxView.Held held = view.find(id);
        History.Entry entry = cluster.history().identify(id, put);
        entry.everOwners.add(host.id());
        if (held == null) {
            check(view.isFinished(id), "I2", () -> entry + " is a success at " + host + ", which does not hold it");
            return;
        }
        if (entry.copiesDestroyed > 0) {
            return;
        }
        check(held.owners().size() == put.f + 1, "I1", () -> entry + " has the owners " + held.owners());
        for (NodeId owner : held.owners()) {
            Host other = cluster.host(owner);
            // An owner that is done with it may have left since; one that runs must know.
            boolean over = other.isRunning() ? other.view().isFinished(id) : !entry.deliveries.isEmpty();
            check(
                    over || isDurableAt(other, id),
                    "I2",
                    () -> entry + " is a success at " + host + ", but " + owner + " holds no durable copy: " + held);
        }
    }

    /** Whether a crash at this moment would leave a copy on the disk of this machine. */
    static boolean isDurableAt(Host host, EntryId id) {
        for (EntryStore.Pair pair :
                host.node().disk().surviving(OutboxAudit.firstKey(id.stream()), OutboxAudit.lastKey(id))) {
            if (OutboxAudit.span(pair.value()).contains(id)) {
                return true;
            }
        }
        return false;
    }

    /** I5: only the holder hands an entry out. */
    private void delivered(Host host, OutboxEvent.Delivered entry) {
        OutboxView.Held held = host.view().find(entry.id());
        History.Put put = cluster.history().putOf(entry.payload());
        check(
                held != null && held.state() == EntryState.STORED && held.taken() && !held.heldBack() && !held.dead(),
                "I5",
                () -> entry.id() + " " + put + " is handed out at " + host + ", which has " + held);
        boolean own = entry.id().origin().equals(host.id()) && held.epoch() == 0;
        boolean sameBoot = put.node.equals(host.id()) && put.boot == host.node().boots();
        check(
                !own || !sameBoot || put.answer != History.Answer.INDETERMINATE,
                "I5",
                () -> put + " failed and is handed out at " + host);
    }

    /** I8, first half: a peer is given up only after silence, or when it said it would be away and the time is over. */
    private void stateChanged(Host host, MembershipEvent.StateChanged changed) {
        if (cluster.options().rules().lifeSigns() != LifeSigns.UNSOLICITED
                || changed.after() != PeerState.TERMINATED
                || changed.before() == PeerState.ARNOLD
                || changed.before() == PeerState.PROSPECT) {
            return;
        }
        Heard heard = memory(host).heard.get(changed.peer());
        Peer peer = host.membership().find(changed.peer());
        Host other = cluster.host(changed.peer());
        if (heard == null || peer.removed() || other.saidGoodbyeForGood) {
            return;
        }
        long silence = host.node().clock().nanos() - heard.atNanos;
        check(
                silence >= cluster.options().failoverNanos(),
                "I8",
                () -> host + " gives " + changed + " up after a silence of " + silence / World.MILLIS + " ms");
    }

    // --- state of a node

    void turned(Host host) {
        Memory memory = memory(host);
        if (++memory.turns % cluster.options().auditEvery() == 0) {
            audit(host, memory);
        }
        memory.spokenTo = false;
    }

    /** Examines all a node holds. */
    void audit(Host host) {
        audit(host, memory(host));
    }

    private void audit(Host host, Memory memory) {
        OutboxView view = host.view();
        List<OutboxView.Held> now = view.held();
        OutboxView.Held last = null;
        for (OutboxView.Held held : now) {
            boolean likeTheLast = last != null
                    && held.owners() == last.owners()
                    && held.order() == last.order()
                    && held.state() == last.state();
            if (!likeTheLast) {
                custody(host, held);
            }
            check(!view.isFinished(held.id()), "I17", () -> host + " has a tombstone and holds " + held);
            last = held;
        }
        compare(host, memory.held, now);
        memory.held = now;
        for (Peer peer : host.membership().all()) {
            Heard heard = memory.heard.computeIfAbsent(peer.id(), none -> new Heard());
            check(
                    peer.incarnation() >= heard.highestSeen,
                    "I19",
                    () -> host + " knew " + peer.id() + " by a higher incarnation than " + peer.incarnation());
            heard.highestSeen = peer.incarnation();
        }
    }

    /** Both lists are in the order of ids. */
    private void compare(Host host, List<OutboxView.Held> before, List<OutboxView.Held> after) {
        boolean everyTurn = cluster.options().auditEvery() == 1;
        int next = 0;
        for (OutboxView.Held earlier : before) {
            while (next < after.size() && after.get(next).id().compareTo(earlier.id()) < 0) {
                next++;
            }
            if (next < after.size() && after.get(next).id().equals(earlier.id())) {
                moved(host, earlier, after.get(next), everyTurn);
            }
        }
    }

    private void custody(Host host, OutboxView.Held held) {
        int owners = held.owners().size();
        check(
                owners == new TreeSet<>(held.owners()).size()
                        && held.order().size() == owners
                        && held.order().containsAll(held.owners()),
                "I1",
                () -> host + " holds " + held);
        check(
                held.epoch() > 0 || held.owners().get(0).equals(held.id().origin()),
                "I1",
                () -> host + " holds " + held + ", whose first owner is not the origin");
        check(held.owners().contains(host.id()), "I3", () -> host + " is no owner but holds " + held);
        check(
                held.state() != EntryState.STORED
                        || held.order().get(0).equals(host.id())
                        || cluster.options().config().profile() == io.georep.model.Profile.PAPER,
                "I5",
                () -> host + " is the holder but not the first in order of " + held);
    }

    private void moved(Host host, OutboxView.Held before, OutboxView.Held after, boolean everyTurn) {
        check(after.epoch() >= before.epoch(), "I9", () -> host + ": epoch fell from " + before + " to " + after);
        check(
                after.state() != EntryState.RECEIVED || before.state() == EntryState.RECEIVED,
                "I9",
                () -> host + ": " + before + " became " + after);
        boolean adopted = before.state() == EntryState.INACTIVE && after.state() == EntryState.STORED;
        // In a turn with frames this node may have learnt that an owner before it has no copy.
        boolean byTimeAlone = everyTurn && adopted && !memory(host).spokenTo;
        if (byTimeAlone && after.epoch() == before.epoch() + 1) {
            for (NodeId earlier : before.order().subList(0, before.order().indexOf(host.id()))) {
                Peer peer = host.membership().find(earlier);
                check(
                        peer.state() == PeerState.TERMINATED || peer.removed(),
                        "I8",
                        () -> host + " adopted " + before + " as " + after + " although " + peer + " was before it");
            }
        }
    }
}
