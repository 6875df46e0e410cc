package io.georep.keys.core;

import io.georep.keys.KeyBatch;
import io.georep.model.IndeterminateException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes to replicated spaces: made here, sent to f other nodes, answered when all of them are durable.
 *
 * <p>A node that was asked and has a later version of a key says so. Perhaps this node had not heard of that, having lost
 * its store; then the write would be lost behind something older. So its versions are raised above all that was heard of
 * and sent again. Two writers at a time cannot keep each other from completing, since the later version is confirmed; after
 * some rounds a later version is taken for what it must be, the write of somebody else at the same time.
 */
final class ReplicatedWrites {
    /** What travels together at most, unless a single batch is larger. */
    private static final int GROUP_BYTES = 128 << 10;

    private static final int RAISES_MAX = 3;

    /** Parts of the time for a write in which those that are silent are asked again. */
    private static final int ROUNDS = 4;

    private final KeyContext context;
    private final Spreading spreading;

    /** Groups of this turn, by f. */
    private final TreeMap<Integer, WriteGroup> gathering = new TreeMap<>();

    /** Those that wait for confirmations, by the number of their request, oldest first. */
    private final Map<Long, WriteGroup> pending = new LinkedHashMap<>();

    private long lastRequest;

    ReplicatedWrites(KeyContext context, Spreading spreading) {
        this.context = context;
        this.spreading = spreading;
    }

    /** Writes that are not answered yet. */
    long waiting() {
        return pending.values().stream().mapToLong(group -> group.tokens.size()).sum();
    }

    boolean isIdle() {
        return pending.isEmpty();
    }

    /** Makes a write that was admitted. */
    void write(KeyCommand.Write write, Turn turn) {
        int bytes = write.batch().bytes() + write.batch().changes().size() * KeyRecord.OVERHEAD_BYTES;
        WriteGroup group = gathering.get(write.f());
        if (group != null && group.bytes + bytes > GROUP_BYTES) {
            gathering.remove(write.f());
            issue(group, turn);
            group = null;
        }
        if (group == null) {
            group = new WriteGroup(
                    write.f(), turn.now() + context.settings.writeTimeout().toNanos());
            gathering.put(write.f(), group);
        }
        // Not one for the group: something later may have come from others since its first write.
        long epoch = context.table.tick();
        for (KeyBatch.Change change : write.batch().changes()) {
            StoredKey record = context.table.write(write.space().name(), change.key(), change.value(), epoch, turn);
            record.writer = group;
            group.items.put(record, change.value());
        }
        group.bytes += bytes;
        group.tokens.add(write.token());
    }

    void endOfTurn(Turn turn) {
        if (!gathering.isEmpty()) {
            List<WriteGroup> groups = List.copyOf(gathering.values());
            gathering.clear();
            groups.forEach(group -> issue(group, turn));
        }
    }

    private void issue(WriteGroup group, Turn turn) {
        long request = ++lastRequest;
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

    private void findHolders(WriteGroup group, Turn turn) {
        if (group.wanted() > 0) {
            group.ask(context.candidates.choose(group.wanted(), group.holders(), turn.now(), turn.random()));
        }
    }

    private void send(WriteGroup group, List<NodeId> nodes, Turn turn) {
        group.repeatAt = turn.now() + context.settings.writeTimeout().toNanos() / ROUNDS;
        if (nodes.isEmpty()) {
            return;
        }
        Slice body = KeyMessages.put(context.table, group.request, group.raised == RAISES_MAX, group.items.keySet());
        for (NodeId node : nodes) {
            Peer peer = context.peers.find(node);
            if (peer != null) {
                turn.send(peer, KeyMessages.PUT, body, false);
            }
        }
    }

    /** A node answered a request. */
    void acknowledged(Peer from, KeyMessages.Ack ack, Turn turn) {
        WriteGroup group = pending.get(ack.request());
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

    private void complete(WriteGroup group, Turn turn) {
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

    private void end(WriteGroup group) {
        pending.remove(group.request);
        group.request = 0;
        for (StoredKey record : group.items.keySet()) {
            if (record.writer == group) {
                record.writer = null;
            }
        }
    }

    /** Whether this node has heard of a later version by another writer. */
    private boolean isOutdated(WriteGroup group) {
        return group.items.keySet().stream()
                .anyMatch(record -> record.writer == group && !record.isGone && !context.table.isOwn(record.version));
    }

    /** Raises the versions above all this node has heard of. What it wrote to a key itself meanwhile stays. */
    private void raise(WriteGroup group, Turn turn) {
        pending.remove(group.request);
        group.raised++;
        long epoch = context.table.tick();
        for (StoredKey record : new ArrayList<>(group.items.keySet())) {
            if (record.writer == group) {
                byte[] value = group.items.remove(record);
                StoredKey written = context.table.write(record.space, record.key, value, epoch, turn);
                written.writer = group;
                group.items.put(written, value);
            }
        }
        group.unconfirmed();
        issue(group, turn);
    }

    /** Asks again, or others, what is not confirmed; gives up what is late. */
    void tick(Turn turn) {
        for (WriteGroup group : List.copyOf(pending.values())) {
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

    /** Looks for others in place of those that cannot take anything now. */
    private boolean replaceLost(WriteGroup group, Turn turn) {
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

    private void giveUp(WriteGroup group, Turn turn) {
        end(group);
        context.failed += group.tokens.size();
        int confirmed = group.holders().size() - group.silent().size();
        turn.notify(new KeyEvent.Failed(
                group.tokens,
                new IndeterminateException("the write is on node " + context.self()
                        + (group.isDurableHere ? "" : ", not durable yet,") + " and was confirmed by " + confirmed
                        + " of " + group.f + " other nodes within " + context.settings.writeTimeout()
                        + ": it is passed on when they are in reach; write again to be sure")));
    }

    /** A node is in reach again, and may have missed what it was sent. */
    void peerReachable(Peer peer, Turn turn) {
        for (WriteGroup group : pending.values()) {
            if (group.silent().contains(peer.id())) {
                send(group, List.of(peer.id()), turn);
            }
        }
    }
}
