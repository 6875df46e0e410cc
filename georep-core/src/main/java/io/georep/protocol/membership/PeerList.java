package io.georep.protocol.membership;

import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All known peers in the order of their names, and whether something changed that others should hear of. */
final class PeerList {
    /** Most peers learnt from others' lists; far above any sensible cluster, it only bounds nonsense. */
    static final int PEERS_MAX = 10_000;

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final Timing timing;
    private final PeerAutomaton automaton;
    private final TreeMap<NodeId, PeerRecord> records = new TreeMap<>();
    private boolean changed;
    private long digest;
    private boolean digestKnown;
    private boolean targetsChanged = true;

    PeerList(Timing timing, PeerAutomaton automaton) {
        this.timing = timing;
        this.automaton = automaton;
    }

    @Nullable
    PeerRecord find(NodeId id) {
        return records.get(id);
    }

    Collection<PeerRecord> all() {
        return Collections.unmodifiableCollection(records.values());
    }

    int size() {
        return records.size();
    }

    /** p1. */
    PeerRecord learn(NodeId id, String site, Turn turn) {
        PeerRecord record = new PeerRecord(id, timing, turn.now());
        record.site = site;
        add(record, turn);
        changed(record);
        return record;
    }

    void add(PeerRecord record, Turn turn) {
        records.put(record.id, record);
        digestKnown = false;
        targetsChanged = true;
        automaton.p1Learnt(record, turn);
    }

    void forget(PeerRecord record) {
        records.remove(record.id);
        digestKnown = false;
        targetsChanged = true;
    }

    /** Marks a change of this record that is to be stored and gossiped. */
    void changed(PeerRecord record) {
        record.unsaved = true;
        changed = true;
        digestKnown = false;
        targetsChanged = true;
    }

    /** Marks a change of this node's own line. */
    void ownEntryChanged() {
        changed = true;
        digestKnown = false;
    }

    /** Marks a change of this node's own line that others are told in another way. */
    void ownEntryChangedQuietly() {
        digestKnown = false;
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
            if (!peer.target().isEmpty() && !peer.removed()) {
                targets.put(peer.id, peer.target());
            }
        }
        return targets;
    }

    boolean isChanged() {
        return changed;
    }

    void changeHandled() {
        changed = false;
    }

    /** The list as it is gossiped, this node included. */
    List<PeerEntry> entries(OwnNode own, long nowNanos) {
        List<PeerEntry> entries = new ArrayList<>(records.size() + 1);
        entries.add(own.entry(nowNanos));
        for (PeerRecord record : records.values()) {
            entries.add(record.entry(nowNanos));
        }
        entries.sort((a, b) -> a.id().compareTo(b.id()));
        return entries;
    }

    /** Fingerprint of everything in the list but durations: equal lists have equal digests. */
    long digest(OwnNode own, long nowNanos) {
        if (!digestKnown) {
            digest = computeDigest(own, nowNanos);
            digestKnown = true;
        }
        return digest;
    }

    private long computeDigest(OwnNode own, long nowNanos) {
        BinWriter out = new BinWriter(records.size() * 32 + 64);
        for (PeerEntry entry : entries(own, nowNanos)) {
            out.node(entry.id()).varint(entry.incarnation()).i64(entry.nonce());
            out.varint(entry.goodbye());
            out.varint(entry.drainVersion()).u8(entry.drained() ? 1 : 0);
            out.varint(entry.removedBelow());
        }
        Slice bytes = out.view();
        long hash = FNV_OFFSET;
        for (int i = 0; i < bytes.length(); i++) {
            hash = (hash ^ (bytes.array()[bytes.offset() + i] & 0xff)) * FNV_PRIME;
        }
        return hash;
    }
}
