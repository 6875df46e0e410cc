package io.georep.keys.core;

import io.georep.keys.KeyBatch;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes that wait for disks. A write to a replicated space is made on this node and sent to f other nodes. It is
 * answered when it is durable on all of them; a write to a local space, when it is durable here. No write waits
 * longer than the settings allow.
 *
 * <p>If a node that should confirm a write has a later version of a key, it refuses. Perhaps this node did not know
 * that version because it has lost its store; then its new write would lose to an older one. So it raises the
 * versions of the write above everything it has heard of, and asks again. Two nodes that write at the same time
 * cannot keep each other from completing, because the later version is always confirmed. If there is still a later
 * version after some rounds, another node wrote it at the same time, and the write completes nevertheless.
 *
 * <p>A deletion of a key that this node does not have is only a question ({@link KeyTable#absent}). If the f other
 * nodes do not have the key either, there is nothing to delete, and no node keeps anything. A node that has it
 * refuses, because its version is later. Then this node raises the version as above, and makes a mark.
 */
final class ReplicatedWrites {
    /** How many bytes travel together at most, unless a single batch is larger. */
    private static final int GROUP_BYTES = 128 << 10;

    private static final int RAISES_MAX = 3;

    /** How many bits of the number of a request count the requests of a boot; those above are the boot's. */
    private static final int REQUEST_BITS = 24;

    /** Into how many parts the time for a write is divided; after each part, silent nodes are asked again. */
    private static final int ROUNDS = 4;

    private final KeyContext context;
    private final Spreading spreading;

    /** Groups of this turn, by f. */
    private final TreeMap<Integer, ReplicatedGroup> gathering = new TreeMap<>();

    /** The groups that wait for confirmations, by the number of their request, oldest first. */
    private final Map<Long, ReplicatedGroup> pending = new LinkedHashMap<>();

    private long lastRequest;

    /** Groups about which nobody is asked are numbered apart, downwards. */
    private long lastUnasked;

    ReplicatedWrites(KeyContext context, Spreading spreading) {
        this.context = context;
        this.spreading = spreading;
    }

    /** A confirmation may come late, after a restart. So requests of this boot have numbers that no earlier boot used. */
    void boot(long number) {
        lastRequest = (number & 0xffff_ffffL) << REQUEST_BITS;
    }

    /** Returns how many writes have no answer yet. */
    long waiting() {
        return pending.values().stream().mapToLong(group -> group.tokens.size()).sum();
    }

    /** For tests: the groups that wait. */
    Collection<ReplicatedGroup> pending() {
        return pending.values();
    }

    boolean isIdle() {
        return pending.isEmpty();
    }

    /** Makes a write that has passed all checks. */
    void write(KeyCommand.Write write, Turn turn) {
        int bytes = write.bytes() + write.changes().size() * KeyRecord.OVERHEAD_BYTES;
        ReplicatedGroup group = gathering(write.f(), bytes, turn);
        // Not one epoch for the group: something later may have come from others since its first write.
        long epoch = context.table.tick();
        for (KeyBatch.Change change : write.changes()) {
            String space = write.space().name();
            boolean isNothing = change.value() == null && context.table.find(space, change.key()) == null;
            StoredKey record = isNothing
                    ? context.table.absent(space, change.key())
                    : context.table.write(space, change.key(), change.value(), epoch, turn);
            record.writer = group;
            group.items.put(record, change.value());
        }
        group.tokens.add(write.token());
    }

    /** A write to a local space was made. It waits for the disk of this node, and not for longer than others do. */
    void written(Object token, Turn turn) {
        gathering(0, 0, turn).tokens.add(token);
    }

    private ReplicatedGroup gathering(int f, int bytes, Turn turn) {
        ReplicatedGroup group = gathering.get(f);
        if (group != null && group.bytes + bytes > GROUP_BYTES) {
            gathering.remove(f);
            issue(group, turn);
            group = null;
        }
        if (group == null) {
            group = new ReplicatedGroup(
                    f, turn.now() + context.settings.writeTimeout().toNanos());
            gathering.put(f, group);
        }
        group.bytes += bytes;
        return group;
    }

    void endOfTurn(Turn turn) {
        if (!gathering.isEmpty()) {
            List<ReplicatedGroup> groups = List.copyOf(gathering.values());
            gathering.clear();
            groups.forEach(group -> issue(group, turn));
        }
    }

    private void issue(ReplicatedGroup group, Turn turn) {
        long request = group.f == 0 ? --lastUnasked : ++lastRequest;
        group.request = request;
        pending.put(request, group);
        findHolders(group, turn);
        send(group, group.silent(), turn);
        spreading.add(group.items.keySet(), group.holders());
        turn.whenDurable(later -> {
            if (group.request == request) {
                group.isDurableHere = true;
                complete(group, later);
            }
        });
    }

    private void findHolders(ReplicatedGroup group, Turn turn) {
        if (group.wanted() > 0) {
            group.ask(context.candidates.choose(group.wanted(), group.holders(), turn.now(), turn.random()));
        }
    }

    private void send(ReplicatedGroup group, List<NodeId> nodes, Turn turn) {
        group.repeatAt = turn.now() + context.settings.writeTimeout().toNanos() / ROUNDS;
        if (nodes.isEmpty()) {
            return;
        }
        Slice body = KeyMessages.put(
                context.table, group.request, group.raised == RAISES_MAX, group.items.keySet(), turn.now());
        for (NodeId node : nodes) {
            Peer peer = context.peers.find(node);
            if (peer != null) {
                context.send(peer, KeyMessages.PUT, body, turn);
            }
        }
    }

    /** Takes the answer of a node to a request. */
    void acknowledged(Peer from, KeyMessages.Ack ack, Turn turn) {
        ReplicatedGroup group = pending.get(ack.request());
        if (group == null) {
            return;
        }
        if (ack.status() == KeyMessages.REFUSED) {
            group.drop(from.id());
            group.repeatAt = turn.now();
        } else if (ack.status() == KeyMessages.OUTDATED) {
            raise(group, turn);
        } else {
            group.confirmed(from.id());
            complete(group, turn);
        }
    }

    private void complete(ReplicatedGroup group, Turn turn) {
        if (!group.isComplete()) {
            return;
        }
        if (group.raised < RAISES_MAX && isOutdated(group)) {
            raise(group, turn);
            return;
        }
        end(group);
        context.written += group.tokens.size();
        turn.notify(new KeyEvent.Done(group.tokens));
    }

    private void end(ReplicatedGroup group) {
        pending.remove(group.request);
        group.request = 0;
        for (StoredKey record : group.items.keySet()) {
            if (record.writer == group) {
                record.writer = null;
            }
        }
    }

    /** Returns whether this node has heard of a later version by another writer. */
    private boolean isOutdated(ReplicatedGroup group) {
        for (StoredKey record : group.items.keySet()) {
            StoredKey present = context.table.find(record.space, record.key);
            if (record.writer == group && !context.table.isOwn((present == null ? record : present).version)) {
                return true;
            }
        }
        return false;
    }

    /** Raises the versions above everything this node has heard of. What it wrote to a key meanwhile stays. */
    private void raise(ReplicatedGroup group, Turn turn) {
        pending.remove(group.request);
        group.raised++;
        long epoch = context.table.tick();
        for (StoredKey record : new ArrayList<>(group.items.keySet())) {
            if (record.writer != group) {
                continue;
            }
            byte[] value = group.items.remove(record);
            if (!isWrittenSince(record)) {
                StoredKey written = context.table.write(record.space, record.key, value, epoch, turn);
                written.writer = group;
                group.items.put(written, value);
            }
        }
        group.unconfirmed();
        issue(group, turn);
    }

    /** Returns whether the key was not here when it was deleted, and this node has written it since. */
    private boolean isWrittenSince(StoredKey record) {
        StoredKey present = context.table.find(record.space, record.key);
        return present != null && present != record && (present.writer != null || context.table.isOwn(present.version));
    }

    /** Asks silent nodes again, or others in their place, and gives up writes whose time is over. */
    void tick(Turn turn) {
        for (ReplicatedGroup group : List.copyOf(pending.values())) {
            if (turn.now() >= group.deadline) {
                giveUp(group, turn);
                continue;
            }
            boolean isChanged = replaceLost(group, turn);
            if (isChanged || turn.now() >= group.repeatAt) {
                send(group, group.silent(), turn);
            }
        }
    }

    /** Looks for other nodes in place of those that can take nothing now. */
    private boolean replaceLost(ReplicatedGroup group, Turn turn) {
        List<NodeId> lost = group.silent().stream()
                .filter(node -> !context.candidates.isSelectable(node, turn.now()))
                .toList();
        int wanted = group.wanted() + lost.size();
        if (wanted == 0) {
            return false;
        }
        List<NodeId> others = context.candidates.choose(wanted, group.holders(), turn.now(), turn.random());
        for (int i = 0; i < lost.size() && i < others.size() - group.wanted(); i++) {
            group.drop(lost.get(i));
        }
        group.ask(others);
        return !others.isEmpty();
    }

    private void giveUp(ReplicatedGroup group, Turn turn) {
        end(group);
        context.failed += group.tokens.size();
        int confirmed = group.holders().size() - group.silent().size();
        String elsewhere = group.f == 0 ? "" : ", confirmed by " + confirmed + " of " + group.f + " other nodes";
        turn.notify(new KeyEvent.Failed(
                group.tokens,
                new IndeterminateException("after " + context.settings.writeTimeout() + " the write is on node "
                        + context.self() + (group.isDurableHere ? "" : ", not durable yet") + elsewhere
                        + ": what is written is passed on when others are in reach; write again to be sure")));
    }

    /** Sends again what a node may have missed; it is in reach again. */
    void peerReachable(Peer peer, Turn turn) {
        for (ReplicatedGroup group : pending.values()) {
            if (group.silent().contains(peer.id())) {
                send(group, List.of(peer.id()), turn);
            }
        }
    }
}
