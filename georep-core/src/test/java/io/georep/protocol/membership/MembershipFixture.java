package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;

/** One node's membership with hand-made peers: time moves by hand and timers fire exactly when due. */
final class MembershipFixture {
    static final NodeId A = NodeId.of("a");
    static final NodeId B = NodeId.of("b");
    static final NodeId C = NodeId.of("c");
    static final Duration T_S = Duration.ofSeconds(5);
    static final Duration T_X = Duration.ofSeconds(25);
    static final Duration FORGET = Duration.ofDays(7);

    final ProtocolConfig config;
    final TreeMap<NodeId, Long> numbers = new TreeMap<>();
    TestTurn turn = new TestTurn();
    Membership node;

    MembershipFixture(ProtocolConfig config) {
        this.config = config;
        node = create();
    }

    static MembershipFixture hardened() {
        return new MembershipFixture(ProtocolConfig.defaults());
    }

    private Membership create() {
        return new Membership(config, new LocalNode(A, "a:1", "east", List.of("a:1", "b:1")));
    }

    /** Boots over what is durable and runs the first turn. */
    MembershipFixture boot() {
        node.boot(turn.disk(), turn);
        turn.store().requireDurable();
        turn.completeStore();
        settle();
        return this;
    }

    /** Ends this boot and starts the next one after a pause. */
    MembershipFixture reboot(Duration down) {
        turn.completeStore();
        turn = turn.nextBoot(down);
        numbers.clear();
        node = create();
        return boot();
    }

    /** The identity of a peer in its first boot. */
    static NodeIdentity identity(NodeId id) {
        return identity(id, 1, id + ":1", 77);
    }

    static NodeIdentity identity(NodeId id, long incarnation, String address, long nonce) {
        return new NodeIdentity(id, incarnation, 1000 + id.value().charAt(0), nonce, address, "west");
    }

    static NodeIdentity reborn(NodeIdentity identity) {
        return new NodeIdentity(
                identity.id(),
                identity.incarnation() + 1,
                identity.generation(),
                identity.nonce() + 1,
                identity.address(),
                identity.site());
    }

    /** A frame without messages that echoes nothing. */
    boolean frame(NodeIdentity from) {
        return frame(from, 0, 0, false);
    }

    boolean frame(NodeIdentity from, long echo, long echoAgeMicros, boolean hears) {
        boolean taken = arrive(from, echo, echoAgeMicros, hears) != null;
        settle();
        return taken;
    }

    private Peer arrive(NodeIdentity from, long echo, long echoAgeMicros, boolean hears) {
        long number = numbers.merge(from.id(), 1L, Long::sum);
        return node.frameArrived(
                from, new FrameHeader(from.incarnation(), number, echo, echoAgeMicros, hears, true, 30_000), turn);
    }

    /** A frame with one message. */
    void message(NodeIdentity from, int type, Slice body) {
        Peer peer = arrive(from, 0, 0, false);
        if (peer != null) {
            node.onMessage(peer, type, new BinReader(body), turn);
        }
        settle();
    }

    void list(NodeIdentity from, PeerEntry... entries) {
        for (Slice page : MembershipMessages.pages(List.of(entries))) {
            message(from, MembershipMessages.PEERS, page);
        }
    }

    void goodbye(NodeIdentity from, long number, Duration away) {
        message(
                from,
                MembershipMessages.GOODBYE,
                MembershipMessages.goodbye(new MembershipMessages.Goodbye(number, away.toMillis())));
    }

    void link(NodeIdentity to) {
        node.linkUp(to, turn);
        settle();
    }

    void unlink(NodeId to) {
        node.linkDown(to, "test", turn);
        settle();
    }

    void command(MembershipCommand command) {
        node.onCommand(command, turn);
        settle();
    }

    /** Makes the peer Active, linked both ways. */
    PeerRecord meet(NodeIdentity peer) {
        link(peer);
        frame(peer);
        return peer(peer.id());
    }

    /** Lets time pass, waking the node exactly at its deadlines. */
    void advance(Duration time) {
        long end = turn.now() + time.toNanos();
        int turns = 0;
        while (node.nextDeadlineNanos() <= end) {
            if (++turns > 1_000_000) {
                throw new AssertionError("the node wakes without end at " + node.nextDeadlineNanos());
            }
            long next = Math.max(node.nextDeadlineNanos(), turn.now());
            turn.advance(Duration.ofNanos(next - turn.now()));
            settle();
        }
        turn.advance(Duration.ofNanos(end - turn.now()));
    }

    /** Lets time pass while the peer sends a frame every second. */
    void advanceHearing(Duration time, NodeIdentity peer) {
        for (long second = 0; second < time.toSeconds(); second++) {
            advance(Duration.ofSeconds(1));
            frame(peer);
        }
    }

    /** The end of a turn as the loop runs it. */
    void settle() {
        if (node.nextDeadlineNanos() <= turn.now()) {
            node.onTimer(turn);
        }
        int before = turn.sent.size();
        node.endOfTurn(turn);
        for (TestTurn.Sent sent : List.copyOf(turn.sent.subList(before, turn.sent.size()))) {
            node.nextHeader(peer(sent.to()), turn.now());
        }
    }

    PeerRecord peer(NodeId id) {
        return node.record(id);
    }

    PeerState state(NodeId id) {
        return peer(id).state();
    }

    static PeerEntry entry(NodeIdentity identity) {
        return entry(identity, 0, Duration.ZERO);
    }

    static PeerEntry entry(NodeIdentity identity, long goodbye, Duration left) {
        return new PeerEntry(
                identity.id(),
                identity.address(),
                identity.site(),
                identity.incarnation(),
                identity.generation(),
                identity.nonce(),
                goodbye,
                left.toMillis(),
                0,
                false,
                0,
                0,
                FORGET.toMillis());
    }

    static PeerEntry drained(PeerEntry entry, long version, boolean on) {
        return new PeerEntry(
                entry.id(),
                entry.address(),
                entry.site(),
                entry.incarnation(),
                entry.generation(),
                entry.nonce(),
                entry.goodbye(),
                entry.returnMillis(),
                version,
                on,
                entry.removedBelow(),
                entry.removedMillis(),
                entry.forgetMillis());
    }

    static PeerEntry removed(PeerEntry entry, long below, Duration left) {
        return new PeerEntry(
                entry.id(),
                entry.address(),
                entry.site(),
                entry.incarnation(),
                entry.generation(),
                entry.nonce(),
                entry.goodbye(),
                entry.returnMillis(),
                entry.drainVersion(),
                entry.drained(),
                below,
                left.toMillis(),
                entry.forgetMillis());
    }

    static PeerEntry forgottenIn(PeerEntry entry, Duration left) {
        return new PeerEntry(
                entry.id(),
                entry.address(),
                entry.site(),
                entry.incarnation(),
                entry.generation(),
                entry.nonce(),
                entry.goodbye(),
                entry.returnMillis(),
                entry.drainVersion(),
                entry.drained(),
                entry.removedBelow(),
                entry.removedMillis(),
                left.toMillis());
    }

    /** What this node says about an id in its list. */
    PeerEntry told(NodeId id) {
        TestTurn.Sent last = null;
        for (TestTurn.Sent sent : turn.sent) {
            if (sent.type() == MembershipMessages.PEERS || sent.type() == MembershipMessages.WELCOME) {
                last = sent;
            }
        }
        if (last == null) {
            throw new AssertionError("no list was sent");
        }
        return MembershipMessages.entries(new BinReader(last.body())).stream()
                .filter(entry -> entry.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing was said about " + id));
    }
}
