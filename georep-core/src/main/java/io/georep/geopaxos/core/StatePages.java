package io.georep.geopaxos.core;

import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.GeoMessage.Got;
import io.georep.geopaxos.core.GeoMessage.Page;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * States on their way from and to this node, page by page. One in each direction at a time: who else is behind comes next, or at once if
 * nothing is heard of the other one.
 */
final class StatePages {
    /** Pages that are under way. */
    private static final int WINDOW = 4;

    private static final class Outgoing {
        final NodeId to;
        final long number;
        final Slice bytes;
        int got;
        int sent;
        long heardAt;
        long sentAt;

        Outgoing(NodeId to, long number, Slice bytes, long now) {
            this.to = to;
            this.number = number;
            this.bytes = bytes;
            heardAt = now;
            sentAt = now;
        }
    }

    private static final class Incoming {
        final NodeId from;
        final long number;
        final BinWriter bytes = new BinWriter();
        long heardAt;

        Incoming(NodeId from, long number) {
            this.from = from;
            this.number = number;
        }
    }

    private final long patience;
    private final Rules rules;
    private final BiConsumer<NodeId, GeoMessage> outlet;

    /** A receiver tells by them whether pages belong together, also those of two boots. */
    private long numbers;

    private @Nullable Outgoing outgoing;
    private @Nullable Incoming incoming;

    /** Who has got all last, and may not have said so in its logs yet. */
    private @Nullable NodeId served;

    private long servedAt;

    StatePages(long incarnation, long patience, Rules rules, BiConsumer<NodeId, GeoMessage> outlet) {
        numbers = incarnation >>> 1;
        this.patience = patience;
        this.rules = rules;
        this.outlet = outlet;
    }

    /** Whether somebody is taking a state of this node: what comes after that must be here then. */
    boolean isSending(long now) {
        return outgoing != null && now - outgoing.heardAt < patience;
    }

    /** A node needs a state; said again and again until it has one. */
    void behind(NodeId node, long now, Supplier<Slice> state) {
        Outgoing present = outgoing;
        if (present != null && present.to.equals(node)) {
            if (now - present.sentAt >= patience) {
                present.sent = present.got;
                send(present, now);
            }
        } else if (!isSending(now) && !(node.equals(served) && now - servedAt < patience)) {
            outgoing = new Outgoing(node, ++numbers, state.get(), now);
            send(outgoing, now);
        }
    }

    private void send(Outgoing state, long now) {
        state.sentAt = now;
        int end = Math.min(state.bytes.length(), state.got + WINDOW * rules.pageBytes);
        while (state.sent < end) {
            int length = Math.min(rules.pageBytes, state.bytes.length() - state.sent);
            Slice page = new Slice(state.bytes.array(), state.bytes.offset() + state.sent, length);
            outlet.accept(state.to, new Page(state.number, state.bytes.length(), state.sent, page));
            state.sent += length;
        }
    }

    /** A receiver has so many bytes. If these are fewer than before, it has begun anew. */
    void got(NodeId from, Got got, long now) {
        Outgoing state = outgoing;
        if (state == null || !state.to.equals(from) || state.number != got.number() || got.bytes() == state.got) {
            return;
        }
        state.sent = got.bytes() < state.got ? got.bytes() : Math.max(state.sent, got.bytes());
        state.got = got.bytes();
        state.heardAt = now;
        if (state.got >= state.bytes.length()) {
            outgoing = null;
            served = from;
            servedAt = now;
        } else {
            send(state, now);
        }
    }

    /** Takes a page; returns the state if that was the last one. */
    @Nullable
    Slice page(NodeId from, Page page, long now) {
        if (page.bytes().length() == 0 || page.bytes().length() > page.total() - page.offset()) {
            throw new MalformedException(
                    "a page of " + page.bytes().length() + " bytes at " + page.offset() + " of " + page.total());
        }
        Incoming state = incoming;
        if (state == null || state.number != page.number() || !state.from.equals(from)) {
            if (state != null && !state.from.equals(from) && now - state.heardAt < patience) {
                return null;
            }
            state = new Incoming(from, page.number());
            incoming = state;
        }
        if (page.offset() == state.bytes.size()) {
            state.bytes.raw(page.bytes());
            state.heardAt = now;
        }
        outlet.accept(from, new Got(page.number(), state.bytes.size()));
        if (state.bytes.size() < page.total()) {
            return null;
        }
        incoming = null;
        return state.bytes.toSlice();
    }
}
