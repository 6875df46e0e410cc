package io.georep.runtime;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.FrameHeader;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.MembershipTurn;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.Complaint;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes frames apart and hands their messages to the protocols. A fault in reading a message concerns the peer that sent it:
 * it is refused, and the node lives. A fault after a protocol began to act on a message concerns this node, which cannot
 * know how far it came: the node ends, and says by whose message.
 */
public final class FrameIntake {
    /** What a peer sent could not be read: its links are to be closed, and it is told why when it dials again. */
    public record Refused(
            NodeIdentity from, String reason, @Nullable RuntimeException fault) {}

    private final MembershipProtocol membership;
    private final List<HostedProtocol> others;
    private final IntFunction<Turn> turns;
    private final Runnable afterEach;
    private final LongSupplier effects;

    /**
     * The intake of these protocols.
     *
     * @param turns the turn as the protocol on a channel sees it
     * @param afterEach runs after each message
     * @param effects how many effects the protocols have asked for so far
     */
    FrameIntake(
            MembershipProtocol membership,
            List<HostedProtocol> others,
            IntFunction<Turn> turns,
            Runnable afterEach,
            LongSupplier effects) {
        this.membership = membership;
        this.others = others;
        this.turns = turns;
        this.afterEach = afterEach;
        this.effects = effects;
    }

    /** Handles a frame; answers null when all of it was handled. */
    @Nullable
    Refused take(Input.Frame frame) {
        NodeIdentity from = frame.from();
        try {
            BinReader in = new BinReader(Slice.of(frame.bytes()));
            FrameHeader header = FrameHeader.read(in);
            Peer peer = membership.frameArrived(from, header, MembershipTurn.of(turns.apply(membership.channel())));
            afterEach.run();
            while (peer != null && in.hasMore()) {
                HostedProtocol protocol = protocol(in.u8());
                int type = in.u8();
                BinReader body = new BinReader(in.bytes());
                long before = effects.getAsLong();
                try {
                    protocol.onMessage(peer, type, body, turns.apply(protocol.channel()));
                } catch (MalformedException e) {
                    throw e;
                } catch (RuntimeException e) {
                    return unreadable(from, protocol.channel(), type, effects.getAsLong() != before, e);
                }
                afterEach.run();
            }
            return null;
        } catch (MalformedException e) {
            return new Refused(from, "malformed frame: " + e.getMessage(), null);
        }
    }

    private static Refused unreadable(NodeIdentity from, int channel, int type, boolean actedOn, RuntimeException e) {
        String message = "message of type " + type + " on channel " + channel;
        if (actedOn) {
            throw new IllegalStateException(
                    message + " from " + from.id() + " at " + from.address() + " broke off while it was acted on", e);
        }
        return new Refused(from, message + " could not be read: " + Complaint.text(e), e);
    }

    /** The protocol on a channel; the frame is malformed when there is none. */
    HostedProtocol protocol(int channel) {
        if (channel == membership.channel()) {
            return membership;
        }
        for (HostedProtocol protocol : others) {
            if (protocol.channel() == channel) {
                return protocol;
            }
        }
        throw new MalformedException("no protocol on channel " + channel);
    }
}
