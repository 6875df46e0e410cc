package io.georep.runtime;

import io.georep.codec.BinWriter;
import io.georep.concurrent.FairLanes;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.FrameHeader;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Gathers the messages of one turn for one peer into as few frames as possible: urgent ones (acknowledgements, heartbeats)
 * that may overtake, then others, of at most {@link #FRAME_BYTES} unless a single message is larger. A frame that is not
 * urgent holds messages of one channel, since each channel has a lane of its own at both ends of the link. The
 * membership's go last, in order: a GOODBYE arrives after everything sent before it.
 *
 * <pre>
 * frame   = FrameHeader, message*
 * message = u8 channel | u8 type | varint length | body
 * </pre>
 */
final class FrameAssembler {
    /** Soft limit of the messages in a frame in bytes (gap G23): with its header a frame fits one chunk of 64 KiB. */
    static final int FRAME_BYTES = 64 * 1024 - 64;

    /** One message on its way out. */
    record Message(int channel, int type, Slice body) {
        void write(BinWriter out) {
            out.u8(channel).u8(type).bytes(body);
        }

        int bytes() {
            return body.length() + 7;
        }

        int lane() {
            return channel == MembershipProtocol.CHANNEL ? Transport.IN_ORDER : channel;
        }
    }

    private final Peer peer;
    private final List<Message> urgent = new ArrayList<>();
    private final List<Message> bulk = new ArrayList<>();

    /** Whether {@link #bulk} has messages of more than one lane. */
    private boolean mixed;

    FrameAssembler(Peer peer) {
        this.peer = peer;
    }

    Peer peer() {
        return peer;
    }

    boolean isEmpty() {
        return urgent.isEmpty() && bulk.isEmpty();
    }

    void add(Message message, boolean isUrgent) {
        if (isUrgent) {
            urgent.add(message);
        } else {
            mixed |= !bulk.isEmpty() && bulk.get(0).lane() != message.lane();
            bulk.add(message);
        }
    }

    /** Leaves some of the messages out, and returns how many. */
    int leaveOut(Predicate<Message> unwanted) {
        int before = urgent.size() + bulk.size();
        urgent.removeIf(unwanted);
        bulk.removeIf(unwanted);
        return before - urgent.size() - bulk.size();
    }

    /** Hands all frames to the sender and starts afresh; the scratch is written over. */
    void flush(BinWriter scratch, Supplier<FrameHeader> header, Sender sender) {
        flush(urgent, true, scratch, header, sender);
        if (mixed) {
            lanes().forEach(lane -> flush(lane, false, scratch, header, sender));
        } else {
            flush(bulk, false, scratch, header, sender);
        }
        urgent.clear();
        bulk.clear();
        mixed = false;
    }

    /** Returns the messages of each lane; {@link Transport#IN_ORDER} comes last. */
    private Collection<List<Message>> lanes() {
        Map<Integer, List<Message>> lanes =
                new TreeMap<>(Comparator.comparingInt(lane -> lane == Transport.IN_ORDER ? FairLanes.LANES : lane));
        for (Message message : bulk) {
            lanes.computeIfAbsent(message.lane(), lane -> new ArrayList<>()).add(message);
        }
        return lanes.values();
    }

    private static void flush(
            List<Message> messages, boolean isUrgent, BinWriter scratch, Supplier<FrameHeader> header, Sender sender) {
        int next = 0;
        while (next < messages.size()) {
            int bytes = 0;
            int end = next;
            while (end < messages.size()
                    && (end == next || bytes + messages.get(end).bytes() <= FRAME_BYTES)) {
                bytes += messages.get(end++).bytes();
            }
            // A single large message must not leave a large scratch behind.
            BinWriter out = bytes <= FRAME_BYTES ? scratch : new BinWriter(bytes + 40);
            out.clear();
            header.get().write(out);
            for (Message message : messages.subList(next, end)) {
                message.write(out);
            }
            sender.send(out.toArray(), isUrgent, messages.get(next).lane());
            next = end;
        }
    }

    /** Where frames go. */
    interface Sender {
        void send(byte[] frame, boolean urgent, int lane);
    }
}
