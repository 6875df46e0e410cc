package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.funnel.Topology;
import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Who sends data how often (K9): in a chain everybody once at most for each time it came, in a star only the head, in parallel chains the head once for
 * each. What is sent again because a link came back, or somebody asked, does not count.
 */
final class WayJudge {
    /** A group of writes, or a part of a large one. */
    private record Load(int head, long counter, long offset) {}

    private record Frame(int[] chain, Load load, Slice value) {}

    private final FunnelContext context;
    private final Function<Slice, Topology> hints;

    /** Members to whom this head has sent a load, directly or by a chain. */
    private final Map<Load, Set<Integer>> covered = new HashMap<>();

    /** What came, perhaps more than once: who comes behind may lack what is here already. */
    private final Map<Load, Integer> received = new HashMap<>();

    private final Map<Load, Integer> passedOn = new HashMap<>();
    private long view;
    private boolean isRepeating;

    WayJudge(FunnelContext context, Function<Slice, Topology> hints) {
        this.context = context;
        this.hints = hints;
    }

    void repeats(boolean does) {
        isRepeating = does;
    }

    void came(int type, long ofView, Slice message) {
        boolean isData = type == FunnelMessages.DATA || type == FunnelMessages.PART;
        if (isData && ofView == context.viewNumber()) {
            begin(ofView);
            received.merge(read(type, message).load, 1, Integer::sum);
        }
    }

    private void begin(long ofView) {
        if (view != ofView) {
            view = ofView;
            covered.clear();
            received.clear();
            passedOn.clear();
        }
    }

    private Frame read(int type, Slice message) {
        BinReader in = new BinReader(message);
        FunnelBounds.VIEW.read(in);
        int[] chain = Way.read(in, context.size());
        if (type == FunnelMessages.PART) {
            int head = in.u8();
            long counter = FunnelBounds.COUNTER.read(in);
            in.varint();
            Write write = context.standing.rank() == head ? context.writes.find(head + 1, counter) : null;
            return new Frame(chain, new Load(head, counter, in.varint()), write == null ? null : write.content.value());
        }
        List<Write> writes = GroupCodec.read(in.raw(in.remaining()));
        Write first = writes.get(0);
        return new Frame(chain, new Load(context.rankOf(first.head), first.counter, -1), first.content.value());
    }

    void left(Peer to, int type, long ofView, Slice message) {
        boolean isData = type == FunnelMessages.DATA || type == FunnelMessages.PART;
        if (!isData || isRepeating || ofView != context.viewNumber()) {
            return;
        }
        begin(ofView);
        Frame frame = read(type, message);
        if (frame.load.head == context.standing.rank()) {
            headSends(to, frame);
        } else {
            memberSends(to, frame);
        }
    }

    private void headSends(Peer to, Frame frame) {
        Set<Integer> before = covered.computeIfAbsent(frame.load, none -> new HashSet<>());
        Topology hint = frame.value == null ? Topology.AUTO : hints.apply(frame.value);
        boolean isAlone = frame.chain.length == 0;
        if (hint == Topology.STAR && !isAlone) {
            FunnelWatch.fail("K9", "a chain in a star of", context.self());
        }
        if (hint == Topology.CHAIN && (!before.isEmpty() || (isAlone && context.size() > 2))) {
            FunnelWatch.fail("K9", "a head that sends more than once, or not to all, by a chain:", context.self());
        }
        if (isAlone && !before.add(context.rankOf(to.id()))) {
            FunnelWatch.fail("K9", "data were sent twice to", to.id());
        }
        for (int rank : frame.chain) {
            if (rank == context.standing.rank() || !before.add(rank)) {
                FunnelWatch.fail("K9", "two chains, or the head, lead to rank", rank);
            }
        }
    }

    private void memberSends(Peer to, Frame frame) {
        int self = place(frame.chain, context.standing.rank());
        if (self < 0 || place(frame.chain, context.rankOf(to.id())) <= self) {
            FunnelWatch.fail("K9", "a member that is not in the chain before the next one sends data:", context.self());
        }
        int times = passedOn.merge(frame.load, 1, Integer::sum);
        if (times > received.getOrDefault(frame.load, 0)) {
            FunnelWatch.fail("K9", "data were passed on " + times + " times by", context.self());
        }
    }

    private static int place(int[] chain, int rank) {
        for (int i = 0; i < chain.length; i++) {
            if (chain[i] == rank) {
                return i;
            }
        }
        return -1;
    }
}
