package io.georep.funnel.core;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.Topology;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Stamp;
import io.georep.funnel.core.ways.Plan;
import io.georep.model.GeoRepException;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The writes of this node's application (rules W1 and L1). Those of one turn that take the same way leave as one group. While the view
 * is not open, or a link has no room, they wait here, and nobody else knows of them.
 */
final class Head {
    /** A group with more, which is one large write, travels in parts. */
    static final int GROUP_BYTES = 48 << 10;

    /** How many bytes the uncommitted writes of a node may have; at least as many as four of the largest. */
    static final long UNCOMMITTED_BYTES_MAX = 64L << 20;

    private static final String LATER = ". Nothing was applied: try again later, or at a node that serves";

    private record Waiting(FunnelCommand.Write write, long deadline) {}

    private record Issued(Write.Content content, Cell cell, Write.Own own) {}

    private final FunnelContext context;
    private final Commits commits;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    /** In the order in which they were made; those that are done leave when they come to the front. */
    private final ArrayDeque<Write> underWay = new ArrayDeque<>();

    /** The group that is being put together. */
    private final List<Issued> issued = new ArrayList<>();

    private @Nullable Plan plan;
    private int groupBytes;

    /** The counter of the newest write in this view. */
    private long counter;

    private boolean isRoomKnown;
    private boolean hasRoom;

    Head(FunnelContext context, Commits commits) {
        this.context = context;
        this.commits = commits;
    }

    /** A view begins in which this node may write. */
    void begin() {
        counter = 0;
    }

    /** A newer view is known: what was put together in this turn still belongs to the old one. */
    void end(Turn turn) {
        close(turn);
    }

    void write(FunnelCommand.Write write, Turn turn) {
        Cell known = context.tables.find(write.key());
        GeoRepException refusal = refusal(write, known, turn.now());
        if (refusal != null) {
            refuse(List.of(write.token()), refusal, turn);
        } else if (context.standing.isOpen() && waiting.isEmpty() && hasRoom()) {
            issue(write, known, turn);
        } else {
            waiting.add(new Waiting(
                    write, turn.now() + context.settings.writeTimeout().toNanos()));
        }
    }

    private void refuse(List<Object> tokens, GeoRepException cause, Turn turn) {
        if (!tokens.isEmpty()) {
            context.figures.rejected(tokens.size());
            turn.notify(new FunnelEvent.Failed(tokens, cause));
        }
    }

    private @Nullable GeoRepException refusal(FunnelCommand.Write write, @Nullable Cell cell, long now) {
        if (context.peers.leaving()) {
            return new RejectedException(
                    RejectedException.Reason.LEAVING, self() + " is leaving: write on another node");
        }
        MapUnavailableException outside = outside(now);
        if (outside != null) {
            return outside;
        }
        if (!context.standing.mayWrite()) {
            return new MapUnavailableException(
                    MapUnavailableException.Reason.TOO_FEW_MEMBERS,
                    "fewer members of view " + context.viewNumber() + " are there than a write needs (membersMin)"
                            + LATER);
        }
        if (!context.storeState().takesEntries()) {
            return new RejectedException(
                    switch (context.storeState()) {
                        case FULL -> RejectedException.Reason.STORE_FULL;
                        case STALLED -> RejectedException.Reason.STORE_STALLED;
                        default -> RejectedException.Reason.QUEUE_FULL;
                    },
                    "the store of " + self() + " takes nothing, it is " + context.storeState());
        }
        return overBounds(write, cell);
    }

    private String self() {
        return "node " + context.self();
    }

    /** Returns why this node may not be in the view any more; null if it is. */
    private @Nullable MapUnavailableException outside(long now) {
        if (context.standing.rank() < 0) {
            return new MapUnavailableException(
                    MapUnavailableException.Reason.NO_VIEW, self() + " " + context.noView() + LATER);
        }
        return now < context.standing.writeUntil()
                ? null
                : new MapUnavailableException(
                        MapUnavailableException.Reason.NO_LEASE,
                        "the master has not answered " + self() + " for half a lease" + LATER);
    }

    private @Nullable GeoRepException overBounds(FunnelCommand.Write write, @Nullable Cell cell) {
        FunnelSettings settings = context.settings;
        int bytes = bytes(write);
        if (bytes > settings.valueBytesMax()) {
            return new RejectedException(
                    RejectedException.Reason.PAYLOAD_TOO_LARGE,
                    "key and value take " + bytes + " bytes, at most " + settings.valueBytesMax() + " (valueBytesMax)");
        }
        if (context.own.count() + waiting.size() >= settings.uncommittedMax()) {
            return new RejectedException(
                    RejectedException.Reason.QUEUE_FULL,
                    settings.uncommittedMax() + " writes of node " + context.self()
                            + " are not committed (uncommittedMax): write more slowly");
        }
        if (context.own.bytes() + bytes > Math.max(UNCOMMITTED_BYTES_MAX, 4L * settings.valueBytesMax())) {
            return new RejectedException(
                    RejectedException.Reason.QUEUE_FULL,
                    "writes of node " + context.self() + " with " + context.own.bytes()
                            + " bytes are not committed: write more slowly");
        }
        if (cell != null && cell.own >= settings.uncommittedPerKeyMax()) {
            return new RejectedException(
                    RejectedException.Reason.QUEUE_FULL,
                    settings.uncommittedPerKeyMax() + " writes of this key by node " + context.self()
                            + " are not committed (uncommittedPerKeyMax): write more slowly");
        }
        long keys = context.tables.keys() + context.own.newKeys() + (isNew(cell) ? 1 : 0);
        int copied = commits.copied(write, cell);
        long growth = copied > 0 ? copied : bytes - (cell == null ? 0 : cell.bytes());
        long total = context.tables.bytes() + context.own.bytes() + growth;
        boolean grows = write.value() != null && growth > 0;
        if (!grows || (keys <= settings.keysMax() && total <= settings.bytesMax())) {
            return null;
        }
        return new RejectedException(
                RejectedException.Reason.STORE_FULL,
                "the replicated maps would hold " + keys + " keys with " + total + " bytes, allowed are "
                        + settings.keysMax() + " (keysMax) with " + settings.bytesMax()
                        + " (bytesMax): remove keys, or raise the bounds on all nodes");
    }

    private static boolean isNew(@Nullable Cell cell) {
        return cell == null || cell.value == null;
    }

    private static int bytes(FunnelCommand.Write write) {
        Slice value = write.value();
        Slice expected = write.expected();
        return write.key().length() + (value == null ? 0 : value.length()) + (expected == null ? 0 : expected.length());
    }

    /** Returns whether all links have room, looked at once a turn: a write needs all members, so it need not leave before. */
    private boolean hasRoom() {
        if (!isRoomKnown) {
            isRoomKnown = true;
            hasRoom = allLinksHaveRoom() && !isFarAhead();
        }
        return hasRoom;
    }

    /**
     * Returns whether an older write has stayed uncommitted while so many later ones were committed that others would
     * soon refuse the next one as impossible.
     */
    boolean isFarAhead() {
        return !context.writes.log(context.standing.rank()).mayReach(counter + HeadLog.AHEAD_MAX / 2);
    }

    private boolean allLinksHaveRoom() {
        for (int rank = 0; rank < context.size(); rank++) {
            Peer peer = context.member(rank);
            if (peer != null && !peer.writable(FunnelLayout.CHANNEL)) {
                return false;
            }
        }
        return true;
    }

    private void issue(FunnelCommand.Write write, @Nullable Cell known, Turn turn) {
        int kind = switch (write.kind()) {
            case PUT -> Write.PUT;
            case REMOVE -> Write.REMOVE;
            case PUT_IF_ABSENT -> Write.PUT_IF_ABSENT;
            case REPLACE -> Write.REPLACE;
        };
        Write.Content content = GroupCodec.content(
                kind,
                write.key(),
                write.value(),
                write.expected(),
                write.timeToLiveMillis(),
                write.client(),
                write.operation(),
                null,
                context.scratch);
        add(
                content,
                context.planner.plan(content.encoded().length(), write.topology(), turn.now()),
                known == null ? context.tables.cell(write.key()) : known,
                write,
                turn);
    }

    /** Removes a key whose time has come, if nothing newer was written. */
    void expire(Cell cell, Turn turn) {
        Stamp stamp = new Stamp(cell.clock, Objects.requireNonNull(cell.head));
        Write.Content content =
                GroupCodec.content(Write.EXPIRE, cell.key, null, null, cell.expiresAt, null, 0, stamp, context.scratch);
        add(content, context.planner.plan(content.encoded().length(), Topology.AUTO, turn.now()), cell, null, turn);
    }

    private void add(Write.Content content, Plan way, Cell cell, FunnelCommand.@Nullable Write write, Turn turn) {
        int bytes = content.encoded().length();
        if (way != plan || groupBytes + bytes > GROUP_BYTES) {
            close(turn);
        }
        plan = way;
        groupBytes += bytes;
        int counted = bytes + (write == null ? 0 : commits.copied(write, cell));
        Write.Own own = new Write.Own(write == null ? null : write.token(), isNew(cell), counted);
        context.own.add(cell, own);
        issued.add(new Issued(content, cell, own));
    }

    /** Ends the group: from here on the writes are under way. */
    private void close(Turn turn) {
        Plan way = plan;
        if (issued.isEmpty() || way == null) {
            return;
        }
        List<Slice> encoded = new ArrayList<>(issued.size());
        for (Issued each : issued) {
            encoded.add(each.content.encoded());
        }
        UncommittedGroup group =
                GroupCodec.group(context.viewNumber(), context.self(), counter + 1, context.clock() + 1, encoded);
        List<Write> writes = new ArrayList<>(issued.size());
        long deadline = turn.now() + context.settings.writeTimeout().toNanos();
        for (Issued each : issued) {
            Write write = new Write(group, ++counter, context.nextClock(), each.content);
            write.issued(each.cell, each.own, deadline);
            writes.add(write);
            underWay.add(write);
        }
        issued.clear();
        groupBytes = 0;
        context.writes.take(writes, context.standing.rank(), turn);
        send(way, group, turn);
    }

    private void send(Plan way, UncommittedGroup group, Turn turn) {
        if (group.encoded.length() > GROUP_BYTES) {
            sendParts(way, group, turn);
            return;
        }
        Slice direct = null;
        for (int[] chain : way.chains()) {
            boolean isDirect = chain.length == 1;
            Slice message = isDirect && direct != null ? direct : message(chain, group);
            direct = isDirect ? message : direct;
            Way.send(chain, FunnelMessages.DATA, message, context, turn);
        }
    }

    private Slice message(int[] chain, UncommittedGroup group) {
        Way.write(chain, context.message());
        return context.scratch.raw(group.encoded).toSlice();
    }

    private void sendParts(Plan way, UncommittedGroup group, Turn turn) {
        Slice all = group.encoded;
        for (int from = 0; from < all.length(); from += Way.PART_BYTES) {
            int length = Math.min(Way.PART_BYTES, all.length() - from);
            for (int[] chain : way.chains()) {
                Way.write(chain, context.message());
                context.scratch
                        .u8(context.standing.rank())
                        .varint(group.firstCounter)
                        .varint(all.length())
                        .varint(from);
                context.scratch.raw(all.array(), all.offset() + from, length);
                Way.send(chain, FunnelMessages.PART, context.scratch.toSlice(), context, turn);
            }
        }
    }

    /** A link came back: what was sent before may be lost. */
    void peerReachable(Peer peer, Turn turn) {
        if (!context.isServing() || !context.standing.isOpen() || context.rankOf(peer.id()) < 0) {
            return;
        }
        UncommittedGroup last = null;
        HeadLog own = context.writes.log(context.standing.rank());
        for (long each = own.base(); each < own.end(); each++) {
            Write write = own.get(each);
            if (write != null && write.group != last) {
                last = write.group;
                if (last.encoded.length() <= GROUP_BYTES && peer.writable(FunnelLayout.CHANNEL)) {
                    turn.send(peer, FunnelMessages.DATA, message(Way.DIRECT, last), false);
                }
            }
        }
    }

    /** Gives up what took too long, and everything when the lease may be gone. */
    void tick(Turn turn) {
        long now = turn.now();
        MapUnavailableException outside = outside(now);
        if (outside != null) {
            underWay.forEach(commits::unknown);
            underWay.clear();
            refuseWaiting(Long.MAX_VALUE, outside, turn);
        }
        for (Write first = underWay.peek(); first != null && first.deadline() <= now; first = underWay.peek()) {
            commits.unknown(underWay.remove());
        }
        refuseWaiting(
                now,
                new MapUnavailableException(
                        MapUnavailableException.Reason.VIEW_CHANGING,
                        "the members are still comparing what they hold, a link has no room, or an older write is not"
                                + " committed" + LATER),
                turn);
    }

    private void refuseWaiting(long until, GeoRepException cause, Turn turn) {
        List<Object> tokens = new ArrayList<>();
        for (Waiting first = waiting.peek(); first != null && first.deadline <= until; first = waiting.peek()) {
            tokens.add(waiting.remove().write.token());
        }
        refuse(tokens, cause, turn);
    }

    long nextDeadlineNanos() {
        if (underWay.isEmpty() && waiting.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long next = context.standing.writeUntil(); // a link that gets room makes a turn
        Write first = underWay.peek();
        next = first == null ? next : Math.min(next, first.deadline());
        Waiting held = waiting.peek();
        return held == null ? next : Math.min(next, held.deadline);
    }

    void endOfTurn(Turn turn) {
        while (!waiting.isEmpty() && context.standing.isOpen() && hasRoom()) {
            FunnelCommand.Write write = waiting.remove().write;
            issue(write, context.tables.find(write.key()), turn);
        }
        close(turn);
        isRoomKnown = false;
        while (!underWay.isEmpty() && underWay.element().isGone()) {
            underWay.remove();
        }
    }
}
