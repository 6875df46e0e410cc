package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.FunnelMessages.Announced;
import io.georep.funnel.core.messages.Runs;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes writes of other heads, passes them on by their plan, and reports to the tail what is durable here (rules W2, L2, L3). Data are
 * passed on before they are durable here; a report waits for that.
 */
final class Relay {
    /** Most large writes of which parts are kept at one time. */
    private static final int ASSEMBLIES_MAX = 64;

    /** Most bytes of all of them, unless one alone is larger. */
    static final long ASSEMBLY_BYTES_MAX = 16L << 20;

    /** A write with a longer key is not announced. */
    private static final int ANNOUNCED_KEY_BYTES_MAX = 1024;

    /** Room for what a group holds beside key and value. */
    private static final int GROUP_SLACK = 1024;

    private record PartOf(int rank, long counter) {}

    private static final class Assembly {
        final byte[] bytes;
        int filled;

        /** When the newest part came. */
        long heardAt;

        Assembly(int total) {
            bytes = new byte[total];
        }
    }

    private final FunnelContext context;
    private final Tail tail;
    private final Runs durable = new Runs();

    /** Large writes of this node that became durable. */
    private final List<Announced> announced = new ArrayList<>();

    private final Map<PartOf, Assembly> assemblies = new LinkedHashMap<>();
    private long assemblyBytes;

    /** Number of the newest report in this view. */
    private long number;

    /** How many of this node's own writes in this view are durable. */
    private long own;

    private boolean isWanted;
    private boolean isSyncing;
    private boolean isFullWanted;
    private Version told = Version.NONE;

    Relay(FunnelContext context, Tail tail) {
        this.context = context;
        this.tail = tail;
    }

    /** The members begin to compare: nothing of the old view is reported any more. */
    void stop() {
        durable.clear();
        announced.clear();
        assemblies.clear();
        assemblyBytes = 0;
        isWanted = false;
        isFullWanted = false;
    }

    /** A view begins. */
    void begin() {
        stop();
        number = 0;
        own = 0;
        told = Version.NONE;
    }

    /** What the view began with is durable here: the first report says so. */
    void ready() {
        isWanted = true;
    }

    void data(BinReader body, Slice message, Turn turn) {
        int[] chain = Way.read(body, context.size());
        List<Write> writes = GroupCodec.read(body.raw(body.remaining()));
        int head = rankOfHead(writes.get(0).group);
        if (takesData() && head >= 0) {
            take(writes, head, turn);
            Way.send(chain, FunnelMessages.DATA, message, context, turn); // the next one may lack what is here already
        }
    }

    /** Returns the rank of the head of a group of this view that another member made; else -1. */
    private int rankOfHead(UncommittedGroup group) {
        int head = group.view == context.viewNumber() ? context.rankOf(group.head) : -1;
        return head == context.standing.rank() ? -1 : head;
    }

    private boolean takesData() {
        return context.isServing() && context.storeState().takesEntries();
    }

    void part(BinReader body, Slice message, Turn turn) {
        int[] chain = Way.read(body, context.size());
        int head = body.u8();
        long counter = FunnelBounds.COUNTER.read(body);
        int total = (int) body.varint(context.settings.valueBytesMax() + GROUP_SLACK, "bytes of a group");
        int from = (int) body.varint(total, "place of a part");
        Slice bytes = body.raw(body.remaining());
        if (head >= context.size() || bytes.length() == 0 || bytes.length() > total - from) {
            throw new MalformedException("part of " + bytes.length() + " bytes at " + from + " of " + total
                    + " from rank " + head + " does not fit");
        }
        PartOf key = new PartOf(head, counter);
        if (!takesData() || head == context.standing.rank()) {
            return;
        }
        if (!isKnown(head + 1, counter)) {
            Assembly assembly = from == 0 ? started(key, total) : assemblies.get(key);
            if (assembly == null || assembly.filled != from || assembly.bytes.length != total) {
                return; // A part is missing: the update protocol fetches the whole.
            }
            System.arraycopy(bytes.array(), bytes.offset(), assembly.bytes, from, bytes.length());
            assembly.filled += bytes.length();
            assembly.heardAt = turn.now();
            if (assembly.filled == total) {
                drop(key);
                List<Write> writes = GroupCodec.read(Slice.of(assembly.bytes));
                if (rankOfHead(writes.get(0).group) == head) {
                    take(writes, head, turn);
                }
            }
        }
        Way.send(chain, FunnelMessages.PART, message, context, turn);
    }

    private boolean isKnown(int code, long counter) {
        return context.writes.find(code, counter) != null || context.writes.isDone(code, counter);
    }

    /** Returns whether parts of a write still come: one came within the time after which others compare what they have. */
    boolean isArriving(int rank, long counter, long now) {
        Assembly assembly = assemblies.get(new PartOf(rank, counter));
        return assembly != null
                && now - assembly.heardAt < context.settings.resendAfter().toNanos();
    }

    /** Makes room first; what is dropped for it is fetched later by the update protocol. */
    private Assembly started(PartOf key, int total) {
        drop(key);
        while (assemblies.size() >= ASSEMBLIES_MAX
                || (assemblyBytes + total > ASSEMBLY_BYTES_MAX && !assemblies.isEmpty())) {
            drop(assemblies.keySet().iterator().next());
        }
        Assembly assembly = new Assembly(total);
        assemblies.put(key, assembly);
        assemblyBytes += total;
        return assembly;
    }

    private void drop(PartOf key) {
        Assembly dropped = assemblies.remove(key);
        assemblyBytes -= dropped == null ? 0 : dropped.bytes.length;
    }

    /** For tests. */
    long assemblyBytes() {
        return assemblyBytes;
    }

    /** Takes writes that were fetched. */
    void group(List<Write> writes, Turn turn) {
        int head = rankOfHead(writes.get(0).group);
        if (takesData() && head >= 0) {
            take(writes, head, turn);
        }
    }

    private void take(List<Write> writes, int head, Turn turn) {
        UncommittedGroup group = writes.get(0).group;
        if (!context.writes.log(head).mayReach(group.firstCounter + group.count - 1)) {
            throw new MalformedException("write " + group.firstCounter + " of " + group.head
                    + " is too far ahead of those that are not committed");
        }
        context.checkClock(group.firstClock + group.count, group.head);
        context.writes.take(writes, head, turn);
    }

    /** A full report is wanted: one was lost, or a link came back. */
    void reportAll() {
        isFullWanted = context.isServing() && number > 0;
    }

    /** Tells what is durably applied here, if that was not told; makes it durable, if it is not. */
    void tick(Turn turn) {
        if (!context.isServing() || number == 0) {
            return;
        }
        if (context.isVolatile) {
            context.progress.durableAsApplied();
        }
        isWanted |= !told.equals(context.progress.durable());
        if (!context.progress.durable().equals(context.progress.applied())
                && context.storeState().takesEntries()) {
            context.storeSelf(turn);
            context.store(turn).requireDurable();
            isSyncing = true;
        }
    }

    /** If reports wait for no store, reports what was taken in this turn. */
    void endOfIntake(Turn turn) {
        if (context.isVolatile && context.writes.hasFresh()) {
            durable(context.writes.takeFresh(), context.progress.applied(), context.viewNumber(), turn);
        }
    }

    /** Comes last in a turn, when everything of it was applied. */
    void endOfTurn(Turn turn) {
        if (isSyncing || context.writes.hasFresh()) {
            isSyncing = false;
            List<UncommittedGroup> groups = context.writes.takeFresh();
            Version applied = context.progress.applied();
            long view = context.viewNumber();
            turn.whenDurable(later -> durable(groups, applied, view, later));
        }
        Peer to = context.isServing() ? context.tail() : null;
        if (to != null && (isFullWanted || isWanted || !durable.isEmpty())) {
            report(to, turn);
        }
    }

    private void report(Peer to, Turn turn) {
        if (isFullWanted) {
            durable.clear();
            context.writes.durable(durable);
            announceAll();
        } else {
            number++;
        }
        told = context.progress.durable();
        FunnelMessages.report(
                context.message(), isFullWanted, number, context.clock(), own, appliedInView(), durable, announced);
        announced.clear();
        turn.send(to, FunnelMessages.REPORT, context.scratch.toSlice(), true);
        isWanted = false;
        isFullWanted = false;
    }

    private void announceAll() {
        announced.clear();
        HeadLog log = context.writes.log(context.standing.rank());
        for (long counter = log.base(); counter < log.end(); counter++) {
            announce(log.get(counter));
        }
    }

    /**
     * Announces a write that travels in parts; all others arrive about as soon as the report. Announces no more than
     * the tail accepts and a frame holds.
     */
    private void announce(@Nullable Write write) {
        if (write != null
                && announced.size() < HeadLog.ANNOUNCED_MAX
                && write.group.isDurable
                && write.group.encoded.length() > Head.GROUP_BYTES
                && write.key().length() <= ANNOUNCED_KEY_BYTES_MAX) {
            announced.add(new Announced(write.counter, write.clock, write.key()));
        }
    }

    private long appliedInView() {
        Version applied = context.progress.durable();
        return applied.view() == context.viewNumber() ? applied.commit() : 0;
    }

    private void durable(List<UncommittedGroup> groups, Version applied, long view, Turn turn) {
        context.progress.durableUpTo(applied);
        boolean isCurrent = context.isServing() && view == context.viewNumber();
        for (UncommittedGroup group : groups) {
            group.isDurable = true;
            if (!isCurrent || group.view != view) {
                continue;
            }
            int head = context.rankOf(group.head);
            if (head == context.standing.rank()) {
                own = Math.max(own, group.firstCounter + group.count - 1);
                announce(context.isTail() ? null : context.writes.find(head + 1, group.firstCounter));
            }
            if (context.isTail()) {
                tail.reported(context.standing.rank(), new Runs.Run(head + 1, group.firstCounter, group.count), turn);
            } else {
                durable.add(head + 1, group.firstCounter, group.count);
            }
        }
    }
}
