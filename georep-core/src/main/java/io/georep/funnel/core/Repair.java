package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Runs;
import io.georep.funnel.core.messages.WriteId;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Runs the update protocol of the paper, and asks for missing writes. While a write stays uncommitted for long, the members
 * tell each other, from the tail to the front and back, which writes they know, and ask for those they miss.
 */
final class Repair {
    private static final int UPDATE_IDS_MAX = 1000;
    private static final int GROUP_BYTES = 48 << 10;

    /** Most bytes that answer one question; the rest is asked for again. */
    private static final int ANSWER_BYTES_MAX = 8 << 20;

    private final FunnelContext context;
    private final Relay relay;
    private final Tail tail;
    private final CatchingUp catchingUp;

    /** When an update was sent or heard last. */
    private long updatedAt = Long.MIN_VALUE;

    Repair(FunnelContext context, Relay relay, Tail tail, CatchingUp catchingUp) {
        this.context = context;
        this.relay = relay;
        this.tail = tail;
        this.catchingUp = catchingUp;
    }

    void begin(long now) {
        updatedAt = now;
    }

    void tick(Turn turn) {
        if (!context.isServing()) {
            return;
        }
        long pause = context.settings.resendAfter().toNanos() * (context.isTail() ? 1 : 2);
        long now = turn.now();
        if (now - updatedAt < pause) {
            return;
        }
        if (!context.standing.isOpen()) {
            updatedAt = now;
            relay.reportAll(); // the first report may be lost, or the answer that opens the view
            return;
        }
        long oldest = context.writes.oldest();
        if (oldest == Long.MAX_VALUE || now - oldest < pause) {
            return;
        }
        Peer to = context.isTail() ? context.memberBefore(context.standing.rank()) : context.tail();
        relay.reportAll();
        if (to != null) {
            send(to, context.writes.ids(UPDATE_IDS_MAX), turn);
        }
        updatedAt = now;
    }

    private void send(Peer to, Collection<WriteId> ids, Turn turn) {
        Runs.writeIds(ids, context.message().varint(context.progress.applied().commit()));
        turn.send(to, FunnelMessages.UPDATE, context.scratch.toSlice(), true);
    }

    void update(Peer from, BinReader body, Turn turn) {
        long applied = FunnelBounds.COMMIT.read(body);
        List<WriteId> ids = Runs.readIds(body);
        body.requireEnd("a message");
        if (!context.isServing() || !context.standing.isOpen()) {
            return;
        }
        if (!context.isTail()) {
            updatedAt = turn.now(); // the tail goes on with its own, which reach everybody
        }
        List<WriteId> missing = new ArrayList<>();
        for (WriteId id : ids) {
            if (isMissing(id, turn.now())) {
                missing.add(id);
            }
        }
        fetch(from, missing, turn);
        if (context.isTail()) {
            if (applied < context.progress.applied().commit()) {
                tail.announceTo(from, turn);
            }
            return;
        }
        Peer last = context.tail();
        if (applied > context.progress.applied().commit() && last != null) {
            catchingUp.ask(last, turn);
        }
        relay.reportAll();
        Peer previous = context.memberBefore(context.standing.rank());
        Peer next = previous == null ? last : previous;
        if (next != null) {
            Set<WriteId> merged = new LinkedHashSet<>(ids);
            merged.addAll(context.writes.ids(UPDATE_IDS_MAX));
            long most = (long) UPDATE_IDS_MAX * context.size();
            send(next, merged.stream().limit(most).toList(), turn);
        }
    }

    /**
     * Returns whether a write of this view is missing: neither here, nor arriving, nor done. Every member has those
     * with which the view began.
     */
    private boolean isMissing(WriteId id, long now) {
        int head = id.view() == context.viewNumber() ? context.rankOf(id.head()) : -1;
        return head >= 0
                && context.writes.find(head + 1, id.counter()) == null
                && !context.writes.isDone(head + 1, id.counter())
                && !relay.isArriving(head, id.counter(), now);
    }

    /** Asks for writes. */
    void fetch(Peer from, Collection<WriteId> ids, Turn turn) {
        if (!ids.isEmpty()) {
            Runs.writeIds(ids, context.message());
            turn.send(from, FunnelMessages.FETCH, context.scratch.toSlice(), true);
        }
    }

    /** Answers with those writes that are here, in as few groups as their counters and clocks allow. */
    void fetched(Peer from, BinReader body, Turn turn) {
        List<WriteId> ids = Runs.readIds(body);
        body.requireEnd("a message");
        if (!from.writable(FunnelLayout.CHANNEL)) {
            return; // what was asked for may be on its way; the question is repeated
        }
        List<Slice> run = new ArrayList<>();
        Write first = null;
        Write last = null;
        int bytes = 0;
        int total = 0;
        for (WriteId id : ids) {
            Write write = context.writes.find(id);
            if (write == null || total > ANSWER_BYTES_MAX) {
                continue;
            }
            boolean follows = last != null
                    && last.view == write.view
                    && last.head.equals(write.head)
                    && last.counter + 1 == write.counter
                    && last.clock + 1 == write.clock
                    && bytes + write.bytes() <= GROUP_BYTES;
            if (!follows && first != null) {
                answer(from, first, run, turn);
                run.clear();
                bytes = 0;
            }
            first = run.isEmpty() ? write : first;
            run.add(write.content.encoded());
            bytes += write.bytes();
            total += write.bytes();
            last = write;
        }
        if (first != null) {
            answer(from, first, run, turn);
        }
    }

    private void answer(Peer to, Write first, List<Slice> run, Turn turn) {
        NodeId head = first.head;
        UncommittedGroup group = GroupCodec.group(first.view, head, first.counter, first.clock, run);
        BinWriter out = context.message().raw(group.encoded);
        turn.send(to, FunnelMessages.GROUP, out.toSlice(), false);
    }
}
