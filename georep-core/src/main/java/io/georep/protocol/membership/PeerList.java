package io.georep.protocol.membership;

import static io.georep.model.BrokenInvariantException.require;

import io.georep.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All known peers in the order of their names, what changed in this turn, and the list's digest. The digest is a sum of one
 * number per line, so a change costs one line, and lines fall into buckets with sums of their own: comparing these finds
 * where two lists differ.
 */
final class PeerList {
    /**
     * How many names are kept although nobody here is in touch with them. It is far above any sensible cluster, and
     * only bounds nonsense.
     */
    static final int PEERS_MAX = 10_000;

    /** Longest list that is sent as a whole: it takes no more than the sums of its buckets. */
    static final int WHOLE_MAX = 16;

    /** Most processes that are remembered although they are not known to belong to this cluster. */
    static final int STRANGERS_MAX = 64;

    /** M33: most names that one limited peer has introduced and under which nobody was met yet. */
    static final int INTRODUCED_MAX = 32;

    private final Timing timing;
    private final PeerAutomaton automaton;
    private final TreeMap<NodeId, PeerRecord> records = new TreeMap<>();

    private int strangers;

    /** How many of the strangers limited peers have introduced. */
    private int introduced;

    /** Lines that changed in this turn. */
    private final TreeMap<NodeId, PeerRecord> news = new TreeMap<>();

    /** Peers to which something happened in this turn, in the order in which it did. */
    private final List<PeerRecord> touched = new ArrayList<>();

    private final Reach reach = new Reach();
    private final Digest digest;
    private boolean ownNews;
    private boolean orderGiven;
    private boolean targetsChanged = true;

    PeerList(NodeId self, Timing timing, PeerAutomaton automaton) {
        digest = new Digest(new PeerRecord(self, timing, 0), PEERS_MAX);
        this.timing = timing;
        this.automaton = automaton;
    }

    /** Returns the record with this name, strangers included; null if there is none. */
    @Nullable
    PeerRecord find(NodeId id) {
        return records.get(id);
    }

    /** Returns all records, strangers included. */
    Collection<PeerRecord> all() {
        return Collections.unmodifiableCollection(records.values());
    }

    /** Those with a link, in the order of their names, strangers included. */
    Collection<PeerRecord> linked() {
        return reach.linked();
    }

    /** Returns those of them that are known to belong to this cluster: the peers. */
    Collection<PeerRecord> members(Collection<PeerRecord> records) {
        return strangers == 0
                ? records
                : records.stream().filter(record -> !record.stranger).toList();
    }

    /** Returns who has a link, and which of them are in touch. */
    Reach reach() {
        return reach;
    }

    /** Takes note of who came within reach or left it in this turn. */
    void checkReach() {
        touched.forEach(reach::check);
    }

    /**
     * Returns whether a name that others tell is learnt. It is if it is among those that all nodes keep, or if the
     * teller is in touch with it and this node does not know too many names already.
     */
    boolean admits(NodeId id, boolean inTouch) {
        return digest.wouldCount(id) || (inTouch && records.size() < 2 * PEERS_MAX);
    }

    /** Lines of the list, this node's included. */
    int lines() {
        return records.size() - strangers + 1;
    }

    /** Returns whether the list travels as a whole. */
    boolean isWhole() {
        return lines() <= WHOLE_MAX;
    }

    /** p1. */
    PeerRecord learn(NodeId id, String site, MembershipTurn turn) {
        PeerRecord record = new PeerRecord(id, timing, turn.now());
        record.site = site;
        add(record, turn);
        changed(record);
        return record;
    }

    void add(PeerRecord record, MembershipTurn turn) {
        records.put(record.id, record);
        enter(record, turn);
    }

    private void enter(PeerRecord record, MembershipTurn turn) {
        PeerRecord surplus = digest.add(record);
        if (surplus != null) {
            touch(surplus);
        }
        touch(record);
        checkTarget(record);
        automaton.p1Learnt(record, turn);
    }

    /**
     * M29: a process that may belong to another cluster; null when there are too many of them. Half of the room is for those
     * that will belong to this one, so that no other cluster keeps them out.
     */
    @Nullable
    PeerRecord meetStranger(NodeId id, String site, boolean joins, MembershipTurn turn) {
        int max = joins ? STRANGERS_MAX : STRANGERS_MAX / 2;
        return strangers - introduced >= max ? null : stranger(id, site, turn);
    }

    /**
     * M33: a limited peer names a node that is not known here. It is dialled for a while, like another stranger: its name is
     * told and stored when it was met.
     */
    void introduce(PeerRecord introducer, PeerEntry line, MembershipTurn turn) {
        if (introducer.introduced >= INTRODUCED_MAX) {
            return;
        }
        PeerRecord record = stranger(line.id(), line.site(), turn);
        record.introducedBy(introducer);
        introduced++;
        record.dialAddress = line.address();
        checkTarget(record);
    }

    private PeerRecord stranger(NodeId id, String site, MembershipTurn turn) {
        PeerRecord record = new PeerRecord(id, timing, turn.now());
        record.site = site;
        record.stranger = true;
        record.forgetAtNanos = turn.now() + timing.holdBackMaxNanos();
        strangers++;
        records.put(id, record);
        touch(record);
        return record;
    }

    private void noStranger(PeerRecord record) {
        strangers--;
        introduced -= record.introducer == null ? 0 : 1;
    }

    /** A stranger's name turns out to be one of this cluster: now it is told and stored. */
    void vouch(PeerRecord record, MembershipTurn turn) {
        record.stranger = false;
        noStranger(record);
        record.learntAtNanos = turn.now();
        record.forgetAtNanos = turn.now() + timing.forgetUnheardNanos();
        enter(record, turn);
        changed(record);
    }

    void forget(PeerRecord record) {
        records.remove(record.id);
        news.remove(record.id);
        if (record.stranger) {
            noStranger(record);
        } else {
            digest.remove(record);
        }
        record.met();
        reach.setLinked(record, false);
        record.forgotten = true;
        reach.check(record);
        targetsChanged |= !record.dialled.isEmpty();
    }

    /** Marks a change of this record that is to be stored and gossiped. */
    void changed(PeerRecord record) {
        changedQuietly(record);
        if (!record.stranger) {
            news.put(record.id, record);
        }
    }

    /**
     * Marks a change of this record that is not gossiped, because others know it or learn it in another way. It is stored
     * together with the next change that is.
     */
    void changedQuietly(PeerRecord record) {
        record.unsaved = true;
        if (!record.stranger) {
            digest.changed(record);
        }
        touch(record);
        checkTarget(record);
    }

    /** Says that something happened to this peer: at the end of the turn it is looked at. */
    void touch(PeerRecord record) {
        if (!record.touched) {
            record.touched = true;
            touched.add(record);
        }
    }

    /** Peers to which something happened since the last {@link #clearTouched}. */
    List<PeerRecord> touched() {
        return touched;
    }

    void clearTouched() {
        touched.forEach(record -> record.touched = false);
        touched.clear();
    }

    /** Marks a change of this node's own line. */
    void ownEntryChanged() {
        ownNews = true;
    }

    /** Notes that what the transport is to dial for this peer may be another address now, or none. */
    void checkTarget(PeerRecord record) {
        targetsChanged |= !record.target().equals(record.dialled);
    }

    /**
     * Marks a change of this record that an operator ordered here. Nodes that cannot hear it from others hear it at
     * once (M33).
     */
    void ordered(PeerRecord record) {
        orderGiven = true;
        changed(record);
    }

    /** Returns whether something was ordered in this turn, and somebody is in reach who may not pass it on. */
    boolean isOrderForAll() {
        return orderGiven && reach.hasLimited();
    }

    /** Marks a change of what the transport dials. */
    void targetsChanged() {
        targetsChanged = true;
    }

    /** Addresses to dial, when they may have changed since the last call; else null. */
    @Nullable
    Map<NodeId, String> newTargets() {
        if (!targetsChanged) {
            return null;
        }
        targetsChanged = false;
        Map<NodeId, String> targets = new TreeMap<>();
        for (PeerRecord peer : records.values()) {
            peer.dialled = peer.target();
            peer.dialledInTouch = peer.inTouch();
            if (!peer.dialled.isEmpty()) {
                targets.put(peer.id, peer.dialled);
            }
        }
        return targets;
    }

    boolean isChanged() {
        return ownNews || !news.isEmpty();
    }

    boolean isOwnEntryChanged() {
        return ownNews;
    }

    /** Peers whose lines changed. */
    Collection<PeerRecord> news() {
        return news.values();
    }

    void changeHandled() {
        ownNews = false;
        orderGiven = false;
        news.clear();
    }

    /** Returns the list as it is gossiped, this node included. */
    List<PeerEntry> entries(OwnNode own, long nowNanos) {
        List<PeerEntry> entries = new ArrayList<>(records.size() + 1);
        entries.add(own.entry(nowNanos));
        for (PeerRecord record : members(all())) {
            tell(record, own, nowNanos, entries);
        }
        entries.sort((a, b) -> a.id().compareTo(b.id()));
        return entries;
    }

    /** Returns the fingerprint of everything in the list but durations: equal lists have equal digests. */
    long digest(OwnNode own) {
        return digest.sum(own);
    }

    /** Returns the digest, bucket by bucket. */
    long[] sums(OwnNode own) {
        return digest.sums(own);
    }

    /** Lines of the buckets in which this list differs from another one. */
    List<PeerEntry> differing(long[] otherSums, OwnNode own, long nowNanos) {
        long[] ownSums = sums(own);
        List<PeerEntry> entries = new ArrayList<>();
        int ownBucket = Digest.bucketOf(own.identity.id());
        if (ownSums[ownBucket] != otherSums[ownBucket]) {
            entries.add(own.entry(nowNanos));
        }
        for (PeerRecord record : members(all())) {
            int bucket = Digest.bucketOf(record.id);
            if (!record.surplus && ownSums[bucket] != otherSums[bucket]) {
                tell(record, own, nowNanos, entries);
            }
        }
        return entries;
    }

    /** Requires what always holds between turns for what is counted here. */
    void check() {
        require(introduced >= 0 && introduced <= strangers, "whom limited peers have introduced is a stranger", this);
        require(strangers <= records.size(), "strangers are known by name", this);
        require(digest.lines() == lines(), "every line that is told is in the digest", this);
        require(reach.count() <= reach.linked().size(), "who is in reach is linked", this);
        require(reach.linked().size() <= records.size(), "who is linked is known by name", this);
    }

    @Override
    public String toString() {
        return "list of " + records.size() + " peers, " + strangers + " of them strangers, " + introduced
                + " of those introduced, " + reach.linked().size() + " linked, " + reach.count()
                + " in reach; digest of "
                + digest.lines() + " lines";
    }

    /** Adds the line about another node, if this one may tell it, as it may tell it (M33). */
    static void tell(PeerRecord record, OwnNode own, long nowNanos, List<PeerEntry> lines) {
        if (!own.identity.limited()) {
            lines.add(record.entry(nowNanos));
        } else if (!record.removed()) {
            lines.add(record.entry(nowNanos).withoutDecisions());
        }
    }
}
