package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.ProtocolConfig;
import io.georep.model.StoreState;
import io.georep.protocol.Alarms;
import io.georep.protocol.BootKind;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who is there: greeting, gossip, failure detection, leaving and returning. Every node judges every other for itself;
 * only names, addresses, boot numbers, announced absences and operators' decisions are gossiped.
 *
 * <p>This class receives the events and hands each to the class that owns the rule: {@link FrameAdmission} decides who is let
 * in, {@link PeerAutomaton} moves peers between states, {@link BelievedLists} and {@link ListMerge} join lists, {@link Greeter} sends,
 * {@link Leaving} says GOODBYE, {@link Forgetting} ends names, {@link BootRecord} keeps this node's own durable items.
 */
public final class Membership implements MembershipProtocol {
    private static final int REFUSALS_REMEMBERED = 256;

    private final LocalNode local;
    private final Timing timing;
    private final PeerAutomaton automaton;
    private final PeerList list;
    private final ListMerge merge;
    private final PausedReading pausedReading;
    private final TreeMap<String, String> refusals = new TreeMap<>();
    private @Nullable Booted booted;
    private long deadlineNanos;

    /** What exists only after boot, since it needs this node's identity. */
    private record Booted(
            BootRecord bootRecord,
            OwnNode own,
            BelievedLists believedLists,
            Greeter greeter,
            Formation formation,
            Alarms<PeerRecord> alarms,
            Forgetting forgetting,
            Upkeep upkeep,
            FrameAdmission frameAdmission,
            OperatorOrders orders,
            Leaving leaving) {}

    public Membership(ProtocolConfig config, LocalNode local) {
        this.local = local;
        timing = Timing.of(config);
        automaton = new PeerAutomaton(timing);
        list = new PeerList(local.id(), timing, automaton);
        merge = new ListMerge(timing, list, automaton);
        pausedReading = new PausedReading(timing, list);
    }

    @Override
    public boolean knows(int type) {
        return MembershipMessages.knows(type);
    }

    @Override
    public void boot(EntryStore store, Turn given) {
        MembershipTurn turn = MembershipTurn.of(given);
        BootRecord bootRecord = BootRecord.begin(local, timing, list, store, turn);
        OwnNode own = bootRecord.own();
        Greeter greeter = new Greeter(timing, list, own);
        Formation formation = new Formation(timing, list, own, greeter, pausedReading, local.seeds(), turn.now());
        Alarms<PeerRecord> alarms = new Alarms<>(
                peer -> Math.min(PeerDeadlines.nextDeadline(peer, timing), greeter.nextDeadlineNanos(peer)),
                Comparator.comparing(PeerRecord::id));
        Forgetting forgetting = new Forgetting(timing, list, alarms);
        booted = new Booted(
                bootRecord,
                own,
                new BelievedLists(list, merge, bootRecord),
                greeter,
                formation,
                alarms,
                forgetting,
                new Upkeep(timing, list, automaton, forgetting),
                new FrameAdmission(timing, list, automaton, greeter, own, formation),
                new OperatorOrders(timing, list, merge, bootRecord, formation),
                new Leaving(timing, list, own));
        dial(turn);
        wakeBy(turn.now(), turn); // links are opened in the first turn
    }

    private Booted booted() {
        if (booted == null) {
            throw new IllegalStateException("membership is used before boot");
        }
        return booted;
    }

    @Override
    public @Nullable Peer frameArrived(NodeIdentity from, FrameHeader header, MembershipTurn turn) {
        return booted().frameAdmission.frame(from, header, turn);
    }

    @Override
    public void lifeSign(NodeIdentity from, MembershipTurn turn) {
        booted().frameAdmission.fragment(from, turn);
    }

    @Override
    public void linkUp(NodeIdentity identity, MembershipTurn turn) {
        refusals.remove(identity.address());
        PeerRecord peer = booted().frameAdmission.link(identity, turn);
        booted().leaving.linkUp(peer);
    }

    @Override
    public void linkDown(NodeId id, String reason, MembershipTurn turn) {
        PeerRecord peer = list.find(id);
        if (peer != null) {
            list.reach().setLinked(peer, false);
            list.touch(peer);
            list.checkTarget(peer);
        }
    }

    @Override
    public void writable(NodeId id, int lane, boolean writable, MembershipTurn turn) {
        PeerRecord peer = list.find(id);
        if (peer != null) {
            peer.writable(lane, writable);
        }
    }

    @Override
    public void refused(String address, String reason, MembershipTurn turn) {
        if (refusals.size() >= REFUSALS_REMEMBERED) {
            refusals.clear();
        }
        // The transport keeps trying; operators want to hear of it once.
        if (!reason.equals(refusals.put(address, reason))) {
            turn.notify(new MembershipEvent.Refused(address, reason));
        }
    }

    @Override
    public void seedReached(String seed) {
        booted().formation.seedReached(seed);
    }

    @Override
    public void bound(String address) {
        booted().own.bound(address);
        list.targetsChanged();
    }

    @Override
    public void limited() {
        booted().own.limited();
    }

    @Override
    public long decisionsIgnored() {
        return booted().believedLists.ignored();
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn given) {
        MembershipTurn turn = MembershipTurn.of(given);
        PeerRecord peer = (PeerRecord) from;
        list.touch(peer);
        switch (type) {
            case MembershipMessages.HELLO -> booted().greeter.greeted(peer, MembershipMessages.hello(body));
            case MembershipMessages.WELCOME, MembershipMessages.PEERS ->
                booted().believedLists.onList(peer, body, turn);
            case MembershipMessages.HEARTBEAT -> {
                booted().greeter.compareDigest(peer, body.i64(), turn);
                body.requireEnd("HEARTBEAT");
            }
            case MembershipMessages.DIGESTS -> booted().greeter.onDigests(peer, MembershipMessages.digests(body), turn);
            case MembershipMessages.CLOCK -> peer.clock.heard(peer, MembershipMessages.clock(body), turn);
            case MembershipMessages.GOODBYE -> onGoodbye(peer, MembershipMessages.goodbye(body), turn);
            case MembershipMessages.GOODBYE_OK -> booted().leaving.confirmed(peer, MembershipMessages.goodbyeOk(body));
            default -> throw new MalformedException("membership message of unknown type " + type);
        }
    }

    private void onGoodbye(PeerRecord peer, MembershipMessages.Goodbye goodbye, MembershipTurn turn) {
        boolean news = goodbye.number() > peer.goodbye;
        automaton.p5SaidGoodbye(peer, goodbye.number(), Timing.nanosOf(goodbye.awayMillis()), turn);
        if (news) {
            list.changed(peer);
        }
        turn.send(peer, MembershipMessages.GOODBYE_OK, MembershipMessages.goodbyeOk(goodbye.number()), true);
    }

    @Override
    public void onCommand(MembershipCommand command, Turn given) {
        MembershipTurn turn = MembershipTurn.of(given);
        if (command instanceof MembershipCommand.Leave leave) {
            booted().leaving.begin(leave.away(), turn);
            booted().bootRecord.leaving(booted().leaving.returnAtMillis(), turn);
        } else {
            booted().orders.obey(command, turn);
        }
    }

    @Override
    public void onStoreState(StoreState state, Turn turn) {
        booted().greeter.announceStore(state.takesEntries());
    }

    @Override
    public void onTimer(Turn given) {
        MembershipTurn turn = MembershipTurn.of(given);
        pausedReading.shortenSilences(deadlineNanos, turn.now());
        for (PeerRecord peer : booted().alarms.due(turn.now())) {
            booted().upkeep.due(peer, turn);
        }
        booted().bootRecord.onTimer(turn);
        booted().leaving.onTimer(turn.now());
        deadlineNanos = Long.MAX_VALUE;
    }

    @Override
    public void reading(boolean on, MembershipTurn turn) {
        pausedReading.reading(on, turn.now());
    }

    @Override
    public void endOfTurn(Turn given) {
        MembershipTurn turn = MembershipTurn.of(given);
        Booted parts = booted();
        list.touched().forEach(parts.upkeep::admitRival);
        list.checkReach();
        parts.formation.endOfTurn(turn);
        parts.greeter.announceNews(turn);
        dial(turn);
        parts.leaving.endOfTurn(turn);
        parts.greeter.endOfTurn(turn);
        list.changeHandled();
        for (PeerRecord peer : list.touched()) {
            if (peer.forgotten) {
                continue;
            }
            parts.forgetting.hurry(peer, turn.now());
            if (peer.unsaved && !peer.stranger) {
                peer.unsaved = false;
                StoredMembership.writePeer(peer, turn.now(), turn.wallMillis(), turn.store());
            }
            if (!peer.linked && !peer.inTouch()) {
                peer.traffic.rest();
            }
            parts.alarms.set(peer);
        }
        list.clearTouched();
        list.check();
        long own = Math.min(parts.bootRecord.nextDeadlineNanos(), parts.leaving.nextDeadlineNanos());
        wakeBy(Math.min(Math.min(own, parts.formation.nextDeadlineNanos()), parts.alarms.next()), turn);
    }

    /**
     * Moves a deadline that has passed to the present time. Otherwise this node would seem to be late, take itself for one
     * that stood still, and shorten all silences (M3).
     */
    private void wakeBy(long atNanos, MembershipTurn turn) {
        deadlineNanos = Math.max(atNanos, turn.now());
    }

    private void dial(MembershipTurn turn) {
        List<String> seeds = local.seeds();
        for (PeerRecord peer : list.touched()) {
            if (peer.inTouch() != peer.dialledInTouch && seeds.contains(peer.dialled)) {
                list.targetsChanged();
            }
        }
        Map<NodeId, String> peers = list.newTargets();
        if (peers == null) {
            return;
        }
        Set<String> left = new LinkedHashSet<>(seeds);
        left.remove(self().address());
        list.all().stream().filter(PeerRecord::inTouch).forEach(peer -> left.remove(peer.dialled));
        turn.targets(peers, left);
    }

    @Override
    public long nextDeadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public boolean maySend() {
        return !booted().own.silent;
    }

    @Override
    public FrameHeader nextHeader(Peer to, long nowNanos) {
        PeerRecord peer = (PeerRecord) to;
        peer.lastSentNanos = nowNanos;
        return peer.traffic.next(
                self().incarnation(),
                peer.inTouch(),
                booted().own.storeTakes,
                Timing.millisOf(timing.failoverNanos()),
                booted().formation.word(),
                nowNanos);
    }

    @Override
    public NodeIdentity self() {
        return booted().own.identity;
    }

    @Override
    public BootKind bootKind() {
        return booted().own.bootKind;
    }

    @Override
    public boolean selfDrained() {
        return booted().own.drained;
    }

    @Override
    public boolean selfRemoved() {
        return booted().own.removed;
    }

    @Override
    public boolean leaving() {
        return booted().leaving.begun() || selfRemoved();
    }

    @Override
    public @Nullable Peer find(NodeId id) {
        PeerRecord peer = list.find(id);
        return peer == null || peer.stranger ? null : peer;
    }

    @Override
    public @Nullable Peer ensure(NodeId id, @Nullable NodeId teller, MembershipTurn turn) {
        if (id.equals(local.id())) {
            throw new IllegalArgumentException("node '" + id + "' is not a peer of itself");
        }
        PeerRecord peer = booted().believedLists.owner(id, teller, turn);
        if (peer == null) {
            return null;
        }
        peer.blocking = true;
        list.touch(peer);
        booted().alarms.set(peer);
        // A deadline that has passed stays where it is, or the time this node stood still would be forgotten (M3).
        deadlineNanos = Math.min(deadlineNanos, Math.max(PeerDeadlines.nextDeadline(peer, timing), turn.now()));
        return peer;
    }

    /** Returns the record with this name, strangers included; for tests. */
    @Nullable
    PeerRecord record(NodeId id) {
        return list.find(id);
    }

    /** Returns the fingerprint of the list without durations, for tests that compare lists. */
    long digest() {
        return list.digest(booted().own);
    }

    @Override
    public Collection<? extends Peer> all() {
        return list.members(list.all());
    }

    @Override
    public Collection<? extends Peer> strangers() {
        return list.all().stream().filter(peer -> peer.stranger).toList();
    }

    @Override
    public Cluster cluster() {
        return booted().formation.describe();
    }

    @Override
    public Collection<? extends Peer> linked() {
        return list.members(list.linked());
    }
}
