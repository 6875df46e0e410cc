package io.georep.geopaxos.core.groups;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoMessage.Got;
import io.georep.geopaxos.core.messages.GeoMessage.Page;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * States on their way from and to this node, page by page, one in each direction at a time. Another node that is
 * behind comes next, or at once if the present one is not heard any more. Only the pages under way, and one piece, are
 * in memory.
 */
public final class StatePages {
    /** The most pages under way to one node. */
    private static final int WINDOW = 4;

    /** The longest piece: one object, with all that its service lets grow in it before it is split. */
    private static final int PIECE_BYTES_MAX = 1 << 28;

    private final class Outgoing {
        final NodeId to;
        final long number;
        final Iterator<StatePiece> rest;
        final Deque<Page> underWay = new ArrayDeque<>();
        private Slice encoded = Slice.EMPTY;
        private long cut;
        boolean isCut;
        long got;
        long heardAt;
        long sentAt;

        Outgoing(NodeId to, long number, Iterator<StatePiece> pieces, long now) {
            this.to = to;
            this.number = number;
            rest = pieces;
            heardAt = now;
        }

        void send(long now) {
            sentAt = now;
            while (!isCut && underWay.size() < WINDOW) {
                Page page = cut();
                underWay.add(page);
                outlet.accept(to, page);
            }
        }

        private Page cut() {
            BinWriter out = new BinWriter(rules.pageBytes);
            while (out.size() < rules.pageBytes && (encoded.length() > 0 || rest.hasNext())) {
                encoded = encoded.length() > 0 ? encoded : framed(rest.next());
                int length = Math.min(rules.pageBytes - out.size(), encoded.length());
                out.raw(part(encoded, 0, length));
                encoded = part(encoded, length, encoded.length() - length);
            }
            isCut = encoded.length() == 0 && !rest.hasNext();
            Page page = new Page(number, cut, isCut, out.toSlice());
            cut += out.size();
            return page;
        }

        private Slice framed(StatePiece piece) {
            BinWriter out = new BinWriter(piece.content().length() + 32);
            piece.write(out);
            return new BinWriter(out.size() + 4)
                    .i32(out.size())
                    .raw(out.toSlice())
                    .toSlice();
        }
    }

    private static final class Incoming {
        final NodeId from;
        final long number;
        final GeoState state;
        private BinWriter bytes = new BinWriter();
        long size;
        long heardAt;

        Incoming(NodeId from, long number, GeoState state) {
            this.from = from;
            this.number = number;
            this.state = state;
        }

        void add(Slice page) {
            bytes.raw(page);
            size += page.length();
            Slice all = bytes.view();
            int at = 0;
            while (all.length() - at >= 4) {
                int length = new BinReader(part(all, at, 4)).i32();
                if (length < 0 || length > PIECE_BYTES_MAX) {
                    throw new MalformedException("a piece of " + length + " bytes");
                }
                if (all.length() - at - 4 < length) {
                    break;
                }
                BinReader one = new BinReader(part(all, at + 4, length));
                state.add(StatePiece.read(one));
                if (one.hasMore()) {
                    throw new MalformedException(one.remaining() + " bytes behind a piece");
                }
                at += 4 + length;
            }
            if (at > 0) {
                bytes = new BinWriter().raw(part(all, at, all.length() - at));
            }
        }

        boolean isWhole() {
            return bytes.size() == 0;
        }
    }

    private static Slice part(Slice of, int from, int length) {
        return new Slice(of.array(), of.offset() + from, length);
    }

    private final long patience;
    private final Rules rules;
    private final BiConsumer<NodeId, GeoMessage> outlet;

    /** Numbers of states. A receiver sees by them which pages belong together, also across two boots. */
    private long numbers;

    private @Nullable Outgoing outgoing;
    private @Nullable Incoming incoming;

    /** Who has got all last, and may not have said so in its logs yet. */
    private @Nullable NodeId served;

    private long servedAt;

    public StatePages(long incarnation, long patience, Rules rules, BiConsumer<NodeId, GeoMessage> outlet) {
        numbers = incarnation >>> 1;
        this.patience = patience;
        this.rules = rules;
        this.outlet = outlet;
    }

    /**
     * Returns whether another node is taking a state of this one. The slots after that state must still be here then.
     */
    public boolean isSending(long now) {
        return outgoing != null && now - outgoing.heardAt < patience;
    }

    /** A node needs a state; said again and again until it has one. */
    public void behind(NodeId node, long now, Supplier<Iterator<StatePiece>> state) {
        Outgoing present = outgoing;
        if (present != null && present.to.equals(node)) {
            if (now - present.sentAt >= patience) {
                present.underWay.forEach(page -> outlet.accept(node, page));
                present.send(now);
            }
        } else if (!isSending(now) && !(node.equals(served) && now - servedAt < patience)) {
            outgoing = new Outgoing(node, ++numbers, state.get(), now);
            outgoing.send(now);
        }
    }

    /** A receiver has so many bytes. If these are fewer than before, it has begun anew, and gets another state. */
    public void got(NodeId from, Got got, long now) {
        Outgoing state = outgoing;
        if (state == null || !state.to.equals(from) || state.number != got.number() || got.bytes() == state.got) {
            return;
        }
        if (got.bytes() < state.got) {
            outgoing = null;
            return;
        }
        state.got = got.bytes();
        state.heardAt = now;
        while (!state.underWay.isEmpty() && state.underWay.peek().end() <= state.got) {
            state.underWay.remove();
        }
        if (state.isCut && state.underWay.isEmpty()) {
            outgoing = null;
            served = from;
            servedAt = now;
        } else {
            state.send(now);
        }
    }

    /**
     * Takes a page; returns the state if that was the last one.
     *
     * @param begin begins to take another state in the place of one that will not come to its end
     */
    @Nullable
    public GeoState page(NodeId from, Page page, long now, Supplier<GeoState> begin) {
        Incoming state = incoming;
        if (state == null || state.number != page.number() || !state.from.equals(from)) {
            if (state != null && !state.from.equals(from) && now - state.heardAt < patience) {
                return null;
            }
            if (page.offset() > 0) {
                outlet.accept(from, new Got(page.number(), 0)); // the beginning came to an earlier boot
                return null;
            }
            state = new Incoming(from, page.number(), begin.get());
        }
        incoming = null; // unless all of this page is well
        boolean isNext = page.offset() == state.size;
        if (isNext) {
            state.add(page.bytes());
            state.heardAt = now;
        }
        outlet.accept(from, new Got(page.number(), state.size));
        if (!isNext || !page.isLast()) {
            incoming = state;
            return null;
        }
        if (!state.isWhole()) {
            throw new MalformedException("a state that ends within a piece");
        }
        return state.state.whole();
    }

    /** Forgets states that nothing more is heard of; returns whether there was one on its way to this node. */
    public boolean expire(long now) {
        if (outgoing != null && now - outgoing.heardAt > 8 * patience) {
            outgoing = null; // or what it consists of would be kept for a node that is gone
        }
        boolean isOver = incoming != null && now - incoming.heardAt > 8 * patience;
        incoming = isOver ? null : incoming;
        return isOver;
    }
}
