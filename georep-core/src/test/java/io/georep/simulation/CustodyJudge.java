package io.georep.simulation;

import static io.georep.simulation.InvariantViolation.check;

import io.georep.codec.BinReader;
import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.StreamId;
import io.georep.outbox.core.OutboxAudit;
import io.georep.outbox.core.OutboxAudit.Stretch;
import io.georep.outbox.core.OutboxView;
import io.georep.protocol.Peer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How one node holds entries, judged after each of its turns and across its boots: I1, I3, I5, I8, I9, I17 of {@code
 * docs/how-it-works/protocol.md}.
 */
final class CustodyJudge {
    /** What a batch of the store made of entries; null: they are not held any more. */
    private record Change(long batch, TreeMap<EntryId, OutboxView.Held> entries) {}

    /** Heard in this turn; without a word, it says whether its sender may adopt. */
    private record Said(NodeId by, OutboxAudit.Word word, boolean forbids) {}

    private final Host host;
    private final OutboxWing outbox;

    /** Live entries by stream, as of the last turn; no list is empty. */
    private final Map<StreamId, List<Stretch>> held = new TreeMap<>();

    /** What frames of this turn say about who has entries. */
    private final List<Said> said = new ArrayList<>();

    /** Who said in this boot that it does not have an entry. */
    private final TreeMap<EntryId, TreeSet<NodeId>> without = new TreeMap<>();

    /** Peers that said last in this boot that they may not adopt. */
    private final TreeSet<NodeId> barred = new TreeSet<>();

    /** Peers that were given up when this turn began. */
    private final TreeSet<NodeId> givenUp = new TreeSet<>();

    /** Changes that a crash may undo. */
    private final ArrayDeque<Change> changes = new ArrayDeque<>();

    /** What no crash can undo. */
    private final TreeMap<EntryId, OutboxView.Held> durable = new TreeMap<>();

    private boolean fresh = true;
    private long turnedAtNanos;

    /** Batches that the store had when a turn was looked at last. */
    private long turnedAfter = -1;

    private long replacedAt;

    CustodyJudge(Host host, OutboxWing outbox) {
        this.host = host;
        this.outbox = outbox;
    }

    void booting() {
        held.clear();
        said.clear();
        without.clear();
        barred.clear();
        turnedAfter = -1;
        fresh = true;
        if (host.storeReplacedAt() != replacedAt) {
            replacedAt = host.storeReplacedAt();
            durable.clear();
        }
    }

    /** The process is gone: of its batches so many are left. */
    void stopped(long survived) {
        for (Change change : changes) {
            if (change.batch <= survived) {
                durable.putAll(change.entries);
            }
        }
        changes.clear();
    }

    /** Before the first turn of a boot everything is as the store says. */
    void turning() {
        if (fresh) {
            fresh = false;
            turnedAtNanos = host.node().clock().nanos();
            held.putAll(OutboxAudit.held(host.view()));
            durable.forEach(this::outlived);
        }
        givenUp.clear();
        for (Peer peer : host.membership().all()) {
            if (isGivenUp(peer)) {
                givenUp.add(peer.id());
            }
        }
    }

    /** I9 and I17 across boots. */
    private void outlived(EntryId id, OutboxView.Held before) {
        OutboxView.Held after = host.view().find(id);
        if (before == null) {
            check(after == null, "I17", () -> host + " was done with " + id + " durably and has " + after);
            return;
        }
        check(
                after != null && after.epoch() >= before.epoch(),
                "I9",
                () -> host + " came back with " + after + ", had " + before + " durably");
    }

    private static boolean isGivenUp(Peer peer) {
        return peer.state() == PeerState.TERMINATED || peer.removed();
    }

    /** A message arrives in the turn that is about to begin. */
    void hears(NodeId from, int type, BinReader body) {
        Boolean mayAdopt = OutboxAudit.mayAdopt(type, body);
        if (mayAdopt != null) {
            said.add(new Said(from, null, !mayAdopt));
            if (mayAdopt) {
                barred.remove(from);
            } else {
                barred.add(from);
            }
            return;
        }
        OutboxAudit.Word word = OutboxAudit.word(type, body);
        if (word == null) {
            return;
        }
        said.add(new Said(from, word, false));
        if (word.lacks()) {
            for (long[] range : word.ranges()) {
                for (long sequence = range[0]; sequence < range[1]; sequence++) {
                    without.computeIfAbsent(new EntryId(word.stream(), sequence), none -> new TreeSet<>())
                            .add(from);
                }
            }
        }
    }

    void turned() {
        long submitted = host.node().disk().submitted();
        if (said.isEmpty() && submitted == turnedAfter) {
            return; // whatever changes who holds an entry is written
        }
        turnedAfter = submitted;
        TreeMap<EntryId, OutboxView.Held> changed = new TreeMap<>();
        OutboxView view = host.view();
        OutboxAudit.heldSince(view, turnedAtNanos).forEach((stream, now) -> {
            List<Stretch> before = now.isEmpty() ? held.remove(stream) : held.put(stream, now);
            compare(stream, before == null ? List.of() : before, now, changed);
        });
        held.entrySet().removeIf(each -> {
            boolean known = OutboxAudit.knows(view, each.getKey());
            if (!known) {
                compare(each.getKey(), each.getValue(), List.of(), changed);
            }
            return !known;
        });
        if (!changed.isEmpty()) {
            changes.add(new Change(submitted, changed));
        }
        turnedAtNanos = host.node().clock().nanos();
        said.clear();
    }

    /** Both lists are in ascending order. What lies in both, held in the same way, is as it was. */
    private void compare(
            StreamId stream, List<Stretch> before, List<Stretch> after, TreeMap<EntryId, OutboxView.Held> changed) {
        int next = 0;
        for (Stretch now : after) {
            while (next < before.size() && before.get(next).to() <= now.from()) {
                next++;
            }
            long at = now.from();
            for (int i = next; i < before.size() && before.get(i).from() < now.to(); i++) {
                Stretch earlier = before.get(i);
                anew(stream, at, earlier.from(), null, changed);
                at = Math.max(at, earlier.from());
                long end = Math.min(now.to(), earlier.to());
                if (!earlier.isLike(now)) {
                    anew(stream, at, end, earlier, changed);
                }
                at = end;
            }
            anew(stream, at, now.to(), null, changed);
        }
        gone(stream, before, after, changed);
    }

    /** Entries are held in another way than before. */
    private void anew(StreamId stream, long from, long to, Stretch earlier, TreeMap<EntryId, OutboxView.Held> changed) {
        for (long sequence = from; sequence < to; sequence++) {
            EntryId id = new EntryId(stream, sequence);
            OutboxView.Held now = host.view().find(id);
            changed.put(id, now);
            moved(earlier, now);
            if (sequence == from) {
                custody(now);
            }
            check(!host.view().isFinished(id), "I17", () -> host + " has a tombstone and holds " + now);
        }
    }

    /** Entries that were held, and are not held any more. */
    private static void gone(
            StreamId stream, List<Stretch> before, List<Stretch> after, TreeMap<EntryId, OutboxView.Held> changed) {
        int next = 0;
        for (Stretch earlier : before) {
            long at = earlier.from();
            while (at < earlier.to()) {
                while (next < after.size() && after.get(next).to() <= at) {
                    next++;
                }
                Stretch now = next < after.size() ? after.get(next) : null;
                long end = now == null ? earlier.to() : Math.min(earlier.to(), Math.max(at, now.from()));
                for (; at < end; at++) {
                    changed.put(new EntryId(stream, at), null);
                }
                at = now == null ? at : Math.max(at, Math.min(earlier.to(), now.to()));
            }
        }
    }

    private void custody(OutboxView.Held now) {
        int owners = now.owners().size();
        check(
                owners == new TreeSet<>(now.owners()).size()
                        && now.order().size() == owners
                        && now.order().containsAll(now.owners()),
                "I1",
                () -> host + " holds " + now);
        check(
                now.epoch() > 0 || now.owners().get(0).equals(now.id().origin()),
                "I1",
                () -> host + " holds " + now + ", whose first owner is not the origin");
        check(now.owners().contains(host.id()), "I3", () -> host + " is no owner but holds " + now);
        check(
                now.state() != EntryState.HELD || now.order().get(0).equals(host.id()),
                "I5",
                () -> host + " is the holder but not the first in order of " + now);
    }

    private void moved(Stretch before, OutboxView.Held after) {
        if (before != null) {
            check(after.epoch() >= before.epoch(), "I9", () -> host + ": epoch fell from " + before + " to " + after);
            check(
                    after.state() != EntryState.RECEIVED || before.state() == EntryState.RECEIVED,
                    "I9",
                    () -> host + ": " + before + " became " + after);
        }
        boolean held = before != null && before.state() != EntryState.COPY;
        if (after.state() == EntryState.HELD && !held) {
            NodeId from = adoptedFrom(before, after);
            check(
                    from != null,
                    "I8",
                    () -> host + " adopted " + before + " as " + after + " although somebody before it is not given up;"
                            + " it was told " + said);
            outbox.history()
                    .entry(after.id())
                    .takeovers
                    .add(new History.Takeover(
                            host.id(),
                            after.epoch(),
                            Objects.requireNonNull(from),
                            outbox.cluster().world().now()));
        }
    }

    /**
     * I8, second half: whoever was before it, by the order it knew or by one it was told of in this turn, is given up,
     * has said that it has no copy, or that it may not adopt, and, if it was the first, that it does not hold the entry.
     * Returns who held the entry before, null if there is no such order.
     */
    private @Nullable NodeId adoptedFrom(@Nullable Stretch before, OutboxView.Held after) {
        if (before != null && mayAdopt(before.epoch(), before.order(), after)) {
            return formerHolder(before.order());
        }
        for (Said each : said) {
            if (each.word != null
                    && each.word.concerns(after.id())
                    && mayAdopt(each.word.epoch(), each.word.order(), after)) {
                return formerHolder(each.word.order());
            }
        }
        return null;
    }

    /** The first of an order. If that is this node, the one before it has made way, and who makes way goes to the end. */
    private NodeId formerHolder(List<NodeId> order) {
        NodeId first = order.get(0);
        return first.equals(host.id()) ? order.get(order.size() - 1) : first;
    }

    private boolean mayAdopt(long epoch, List<NodeId> order, OutboxView.Held after) {
        int place = order.indexOf(host.id());
        // Who is named first by a claim holds the entry by it; who adopts makes a claim of its own.
        if (place < 0 || after.epoch() != (place == 0 && after.epoch() == epoch ? epoch : epoch + 1)) {
            return false;
        }
        for (NodeId earlier : order.subList(0, place)) {
            boolean hasNone = without.getOrDefault(after.id(), new TreeSet<>()).contains(earlier);
            boolean makesWay =
                    wasBarred(earlier) && (!earlier.equals(order.get(0)) || saysThatItWaits(earlier, after.id()));
            if (!hasNone
                    && !makesWay
                    && !givenUp.contains(earlier)
                    && !isGivenUp(host.membership().find(earlier))) {
                return false;
            }
        }
        return true;
    }

    /** Also by a word that it took back in the same turn: what was adopted between the two stays. */
    private boolean wasBarred(NodeId owner) {
        return barred.contains(owner) || said.stream().anyMatch(each -> each.by.equals(owner) && each.forbids);
    }

    private boolean saysThatItWaits(NodeId owner, EntryId id) {
        return said.stream()
                .anyMatch(each ->
                        each.by.equals(owner) && each.word != null && each.word.waits() && each.word.concerns(id));
    }
}
