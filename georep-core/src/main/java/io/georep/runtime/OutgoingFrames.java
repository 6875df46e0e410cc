package io.georep.runtime;

import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import io.georep.protocol.Peer;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.spi.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * The messages of one turn for all peers. A message is dropped here if the peer did not announce its protocol,
 * because the peer could only count and ignore it.
 */
final class OutgoingFrames {
    private final MembershipProtocol membership;
    private final Transport transport;
    private final WireCounts counts;

    /** Assemblers of peers with something to send, by name: the order of sending is deterministic. */
    private final TreeMap<NodeId, FrameAssembler> outgoing = new TreeMap<>();

    private final BinWriter scratch = new BinWriter(1024);
    private final List<Transport.Outgoing> frames = new ArrayList<>();

    OutgoingFrames(MembershipProtocol membership, Transport transport, WireCounts counts) {
        this.membership = membership;
        this.transport = transport;
        this.counts = counts;
    }

    void add(Peer to, FrameAssembler.Message message, boolean urgent) {
        outgoing.computeIfAbsent(to.id(), id -> new FrameAssembler(to)).add(message, urgent);
    }

    /** Ends the turn: hands all frames to the transport. */
    void flush(long nowNanos) {
        if (membership.maySend()) {
            outgoing.values().forEach(assembler -> flush(assembler, nowNanos));
        }
        outgoing.clear();
        if (!frames.isEmpty()) {
            transport.sendAll(frames);
            frames.clear();
        }
    }

    private void flush(FrameAssembler assembler, long nowNanos) {
        Peer peer = assembler.peer();
        // Only now: the link may lead to another process than at the beginning of the turn.
        int leftOut = assembler.leaveOut(message -> peer.version(message.channel()) == 0);
        if (peer.linked()) {
            counts.withhold(leftOut);
        }
        assembler.flush(
                scratch,
                () -> membership.nextHeader(peer, nowNanos),
                (frame, urgent, lane) -> frames.add(new Transport.Outgoing(peer.id(), frame, urgent, lane)));
    }
}
