package io.georep.keys.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Forgets deletions. A node may forget a deletion when every member of the cluster has it on disk, because then no node is
 * left that could bring the deleted value back. So the member with the smallest name asks all members, under a number that
 * is higher than all epochs. A member confirms the deletions that it has, but only if it knows the same members. When all
 * have confirmed, the asking node tells them to forget.
 *
 * <p>A node that was not among these members learns, from the first message that it gets, that deletions were forgotten under
 * a number that it has not confirmed. It then drops what it kept from before its start; see {@link KeyTable#heard}.
 */
final class Deletions {
    private static final int DELETIONS_PER_ROUND = 2000;

    private static final class Round {
        final long number;
        final long members;
        final long startedAt;
        final LinkedHashSet<KeyMessages.Deletion> agreed;
        final TreeSet<NodeId> silent = new TreeSet<>();

        Round(long number, long members, long startedAt, Collection<KeyMessages.Deletion> asked) {
            this.number = number;
            this.members = members;
            this.startedAt = startedAt;
            this.agreed = new LinkedHashSet<>(asked);
        }
    }

    private final KeyContext context;
    private final Spreading spreading;
    private @Nullable Round round;
    private long nextAt;

    Deletions(KeyContext context, Spreading spreading) {
        this.context = context;
        this.spreading = spreading;
    }

    void boot(Turn turn) {
        nextAt = turn.now() + context.settings.compareEvery().toNanos();
    }

    long nextDeadlineNanos() {
        return context.table.deletions().isEmpty() ? Long.MAX_VALUE : nextAt;
    }

    private static long hashOf(NodeId self, List<Peer> others) {
        long hash = KeyHash.ofName(self.value());
        for (Peer peer : others) {
            hash ^= KeyHash.ofName(peer.id().value());
        }
        return hash;
    }

    void tick(Turn turn) {
        Round present = round;
        if (present != null
                && turn.now() - present.startedAt
                        >= context.settings.writeTimeout().toNanos()) {
            round = null;
        }
        if (round == null && turn.now() >= nextAt && !context.table.deletions().isEmpty()) {
            nextAt = turn.now() + context.settings.compareEvery().toNanos();
            List<Peer> others = context.others();
            if (others.stream().allMatch(peer -> peer.linked() && peer.id().compareTo(context.self()) > 0)) {
                start(others, turn);
            }
        }
    }

    private void start(List<Peer> others, Turn turn) {
        List<StoredKey> asked =
                context.table.deletions().stream().limit(DELETIONS_PER_ROUND).toList();
        asked.forEach(context.table::postpone);
        List<KeyMessages.Deletion> deletions =
                asked.stream().map(KeyMessages.Deletion::of).toList();
        long number = context.table.tick();
        Round started = new Round(number, hashOf(context.self(), others), turn.now(), deletions);
        round = started;
        context.table.confirm(number, turn);
        BinWriter out = KeyMessages.start(context.table).varint(number).i64(started.members);
        Slice body = KeyMessages.deletions(out, deletions);
        for (Peer peer : others) {
            started.silent.add(peer.id());
            turn.sendWhenDurable(peer, KeyMessages.CONFIRM, body, false);
        }
        if (others.isEmpty()) {
            turn.whenDurable(this::forgetAgreed);
        }
    }

    /** Confirms those of these deletions that this node has on disk; another node asks for that. */
    void confirm(Peer from, KeyMessages.Head head, BinReader in, Turn turn) {
        long number = readNumber(in);
        long members = in.i64();
        List<KeyMessages.Deletion> asked = KeyMessages.readDeletions(in);
        context.heard(head, in, turn);
        List<KeyMessages.Deletion> present = new ArrayList<>();
        if (members == hashOf(context.self(), context.others())) {
            for (KeyMessages.Deletion deletion : asked) {
                if (find(deletion) != null) {
                    present.add(deletion);
                }
            }
            context.table.confirm(number, turn);
        }
        BinWriter out = KeyMessages.start(context.table).varint(number);
        turn.sendWhenDurable(from, KeyMessages.CONFIRMED, KeyMessages.deletions(out, present), false);
    }

    private static long readNumber(BinReader in) {
        return Bound.EPOCH.read(in);
    }

    private @Nullable StoredKey find(KeyMessages.Deletion deletion) {
        StoredKey record = context.table.find(deletion.leaf(), deletion.hash());
        return record != null && record.isDeleted() ? record : null;
    }

    /** Takes the confirmation of another node. */
    void confirmed(Peer from, KeyMessages.Head head, BinReader in, Turn turn) {
        long number = readNumber(in);
        HashSet<KeyMessages.Deletion> present = new HashSet<>(KeyMessages.readDeletions(in));
        context.heard(head, in, turn);
        Round asked = round;
        if (asked == null || asked.number != number || !asked.silent.remove(from.id())) {
            return;
        }
        List<StoredKey> lacking = new ArrayList<>();
        for (KeyMessages.Deletion deletion : asked.agreed) {
            StoredKey record = present.contains(deletion) ? null : find(deletion);
            if (record != null) {
                lacking.add(record);
            }
        }
        if (!lacking.isEmpty() && !present.isEmpty()) {
            spreading.send(from, lacking.subList(0, Math.min(lacking.size(), 100)), turn);
        }
        asked.agreed.retainAll(present);
        if (asked.silent.isEmpty()) {
            forgetAgreed(turn);
        }
    }

    private void forgetAgreed(Turn turn) {
        Round agreed = round;
        round = null;
        List<Peer> others = context.others();
        if (agreed == null || agreed.agreed.isEmpty() || agreed.members != hashOf(context.self(), others)) {
            return;
        }
        nextAt = turn.now();
        forget(agreed.agreed, agreed.number, turn);
        BinWriter out = KeyMessages.start(context.table).varint(agreed.number);
        Slice body = KeyMessages.deletions(out, agreed.agreed);
        for (Peer peer : others) {
            turn.sendWhenDurable(peer, KeyMessages.FORGET, body, false);
        }
    }

    /** Forgets these deletions, because all members have confirmed them. */
    void forget(KeyMessages.Head head, BinReader in, Turn turn) {
        long number = readNumber(in);
        List<KeyMessages.Deletion> deletions = KeyMessages.readDeletions(in);
        context.heard(head, in, turn);
        forget(deletions, number, turn);
    }

    private void forget(Collection<KeyMessages.Deletion> deletions, long number, Turn turn) {
        for (KeyMessages.Deletion deletion : deletions) {
            StoredKey record = find(deletion);
            if (record != null) {
                context.table.remove(record, turn);
            }
        }
        context.table.forgot(number, turn);
    }
}
