package io.georep.runtime;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.georep.codec.BinWriter;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.protocol.membership.FrameHeader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A peer sends any frames to a node that has entries: each is handled or refused, the node lives, and restarts. Each frame is
 * preceded by two bytes with its length.
 */
class FrameFuzz {
    private static final NodeIdentity B = new NodeIdentity(WireNet.B, 1, 2, 3, "b:1", "site");
    private static final int FRAMES_MAX = 8;

    static Stream<byte[]> seeds() {
        return WireFields.messages().stream().map(message -> {
            BinWriter frame = new BinWriter();
            new FrameHeader(1, 2, 1, 0, true, true, 30_000).write(frame);
            frame.u8(message.channel()).u8(message.type()).bytes(Slice.of(message.usual()));
            Slice bytes = frame.toSlice();
            return new BinWriter().u16(bytes.length()).raw(bytes).toArray();
        });
    }

    @MethodSource("seeds")
    @FuzzTest(maxExecutions = 1_000_000, maxDuration = "1h")
    void anyFrames(byte[] input) {
        WireNet net = new WireNet();
        WireNet.Node a = net.node(WireNet.A);
        a.inputs.add(new Input.LinkUp(B));
        a.inputs.add(new Input.Command(
                OutboxProtocol.CHANNEL,
                new OutboxCommand.PutAll(List.of(
                        new OutboxCommand.Put("queue", 1, Slice.utf8("some payload"), "put"),
                        new OutboxCommand.Put("queue", 0, Slice.utf8("x"), "put")))));
        a.inputs.add(new Input.Command(OutboxProtocol.CHANNEL, new OutboxCommand.Credit("queue", 1)));
        net.run(0);
        ByteBuffer rest = ByteBuffer.wrap(input);
        for (int frames = 0; frames < FRAMES_MAX && rest.remaining() > 2; frames++) {
            byte[] frame = new byte[Math.min(rest.getShort() & 0xffff, rest.remaining())];
            rest.get(frame);
            a.inputs.add(new Input.Frame(B, frame));
            net.run(0);
        }
        net.run(WireNet.SECOND);
        a.reboot();
        net.run(0);
    }
}
