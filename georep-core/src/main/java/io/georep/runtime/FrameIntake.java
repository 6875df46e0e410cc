package io.georep.runtime;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.logging.SafeLog;
import io.georep.model.BrokenInvariantException;
import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.LinkingProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.protocol.membership.MembershipTurn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes frames apart and gives their messages to the protocols. A message that only another version of the software
 * knows, because nobody here hosts its channel or because its type is newer, is counted and ignored; the other
 * messages of the frame are handled.
 *
 * <p>If reading a message fails, that concerns the peer that sent it: the peer is refused, and the node lives. If
 * something fails after a protocol has begun to act on a message, this node cannot know how far the protocol has
 * come. So the node ends, and says whose message it was.
 */
public final class FrameIntake {
    private static final int CHANNELS = Channels.CHANNEL_MAX + 1;
    private static final int REPORTS_REMEMBERED = 256;

    /** What a peer sent could not be read. Its links are closed, and it is told why when it dials again. */
    public record Refused(
            NodeIdentity from, String reason, @Nullable RuntimeException fault) {}

    /**
     * The first message of a process that this node ignores because its own software does not know it.
     *
     * @param theirs version of the protocol on this channel that the sender announced, 0 for none
     * @param ours version this node hosts, 0 for none that would take it from this sender
     */
    public record Ignored(NodeIdentity from, int channel, int type, int theirs, int ours) {}

    /**
     * A process hosts another protocol on a channel than this node, so that neither is sent anything of the other's.
     *
     * @param theirs name of the protocol there
     * @param ours name of the protocol here
     */
    public record OtherProtocol(NodeIdentity process, int channel, String theirs, String ours) {}

    /** By channel. */
    private final @Nullable HostedProtocol<?>[] protocols = new HostedProtocol<?>[CHANNELS];

    private final MembershipProtocol membership;
    private final IntFunction<Turn> turns;
    private final Runnable afterEach;
    private final LongSupplier effects;
    private final WireCounts counts;
    private final Consumer<Ignored> onIgnored;
    private final Channels hosted;

    /** Nonces of processes of which something was ignored and reported. */
    private final Map<NodeId, Long> reported = new HashMap<>();

    /**
     * The intake of these protocols.
     *
     * @param turns the turn as the protocol on a channel sees it
     * @param afterEach runs after each message
     * @param effects how many effects the protocols have asked for so far
     * @param onIgnored told once of each process that sends what is ignored
     */
    FrameIntake(
            MembershipProtocol membership,
            List<HostedProtocol<?>> others,
            IntFunction<Turn> turns,
            Runnable afterEach,
            LongSupplier effects,
            WireCounts counts,
            Consumer<Ignored> onIgnored) {
        this.membership = membership;
        this.turns = turns;
        this.afterEach = afterEach;
        this.effects = effects;
        this.counts = counts;
        this.onIgnored = onIgnored;
        List<HostedProtocol<?>> all = new ArrayList<>(others);
        all.add(membership);
        Map<Integer, Integer> versions = new TreeMap<>();
        Map<Integer, String> names = new TreeMap<>();
        for (HostedProtocol<?> protocol : all) {
            ProtocolId id = protocol.id();
            protocols[id.channel()] = protocol;
            if (id.version() > 0) {
                versions.put(id.channel(), id.version());
                names.put(id.channel(), id.name());
            }
        }
        hosted = Channels.of(versions).named(names);
    }

    /** Returns the protocol on a channel; null if there is none. */
    @Nullable
    HostedProtocol<?> hosted(int channel) {
        return protocols[channel];
    }

    /** Returns what this node announces. */
    Channels hosted() {
        return hosted;
    }

    /** Tells of the channels on which a process that was reached hosts other protocols than this node. */
    void compare(Input.OfMembers input, Consumer<? super OtherProtocol> told) {
        if (!(input instanceof Input.LinkUp up)) {
            return;
        }
        Channels theirs = up.peer().channels();
        for (int channel : hosted.versions().keySet()) {
            if (hosted.differs(channel, theirs)) {
                told.accept(new OtherProtocol(up.peer(), channel, theirs.name(channel), hosted.name(channel)));
            }
        }
    }

    /** Handles a frame; returns null when all of it was handled. */
    @Nullable
    Refused take(Input.Frame frame) {
        NodeIdentity from = frame.from();
        try {
            BinReader in = new BinReader(Slice.of(frame.bytes()));
            FrameHeader header = FrameHeader.read(in);
            Peer peer = membership.frameArrived(from, header, MembershipTurn.of(turns.apply(membership.channel())));
            afterEach.run();
            while (peer != null && in.hasMore()) {
                int channel = in.u8();
                int type = in.u8();
                Slice body = in.bytes();
                HostedProtocol<?> protocol = protocols[channel];
                if (protocol == null || !protocol.knows(type) || hosted.differs(channel, from.channels())) {
                    ignore(from, channel, type);
                    continue;
                }
                long before = effects.getAsLong();
                try {
                    protocol.onMessage(peer, type, new BinReader(body), turns.apply(channel));
                } catch (MalformedException | BrokenInvariantException e) {
                    // A broken invariant is no fault of the peer, whether or not anything was done for it.
                    throw e;
                } catch (RuntimeException e) {
                    return unreadable(from, channel, type, effects.getAsLong() != before, e);
                }
                afterEach.run();
            }
            return null;
        } catch (MalformedException e) {
            return new Refused(from, "malformed frame: " + e.getMessage(), null);
        }
    }

    /** Handles a frame of a process that need not be a peer, which is one message; returns null when that was handled. */
    @Nullable
    Refused take(Input.StrangerFrame frame) {
        NodeIdentity from = frame.from();
        int channel = frame.channel();
        if (!(protocols[channel] instanceof LinkingProtocol<?> protocol) || hosted.differs(channel, from.channels())) {
            leaveAside(from, channel, frame.bytes().length == 0 ? 0 : frame.bytes()[0] & 0xff, 0);
            return null;
        }
        try {
            BinReader in = new BinReader(Slice.of(frame.bytes()));
            int type = in.u8();
            if (!protocol.knows(type)) {
                ignore(from, channel, type);
                return null;
            }
            long before = effects.getAsLong();
            try {
                protocol.onStranger(from, type, in, turns.apply(channel));
            } catch (MalformedException | BrokenInvariantException e) {
                throw e;
            } catch (RuntimeException e) {
                return unreadable(from, channel, type, effects.getAsLong() != before, e);
            }
            afterEach.run();
            return null;
        } catch (MalformedException e) {
            return new Refused(from, "malformed frame over a link of its own choice: " + e.getMessage(), null);
        }
    }

    /**
     * Counts and ignores a message.
     *
     * @throws MalformedException when no version explains it
     */
    private void ignore(NodeIdentity from, int channel, int type) {
        int ours = hosted.differs(channel, from.channels()) ? 0 : hosted.version(channel);
        int theirs = from.channels().version(channel);
        if (ours > 0 && theirs <= ours) {
            throw new MalformedException("a message of type " + type + " on channel " + channel + ", whose version "
                    + theirs + " has none of that type");
        }
        leaveAside(from, channel, type, ours);
    }

    private void leaveAside(NodeIdentity from, int channel, int type, int ours) {
        counts.ignore();
        if (reported.size() >= REPORTS_REMEMBERED) {
            reported.clear();
        }
        Long before = reported.put(from.id(), from.nonce());
        if (before == null || before != from.nonce()) {
            onIgnored.accept(new Ignored(from, channel, type, from.channels().version(channel), ours));
        }
    }

    private static Refused unreadable(NodeIdentity from, int channel, int type, boolean actedOn, RuntimeException e) {
        String message = "message of type " + type + " on channel " + channel;
        if (actedOn) {
            throw new IllegalStateException(
                    message + " from " + from.id() + " at " + from.address() + " broke off while it was acted on", e);
        }
        return new Refused(from, message + " could not be read: " + SafeLog.text(e), e);
    }

    /**
     * Returns the protocol that gets the commands on a channel. One module makes the protocol and the side that gives it
     * commands, so their types of commands agree.
     *
     * @throws IllegalArgumentException when there is none
     */
    @SuppressWarnings("unchecked")
    HostedProtocol<Object> protocol(int channel) {
        HostedProtocol<Object> protocol = (HostedProtocol<Object>) protocols[channel];
        if (protocol == null) {
            throw new IllegalArgumentException("no protocol on channel " + channel);
        }
        return protocol;
    }
}
