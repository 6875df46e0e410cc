package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.funnel.View;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A member sends any messages to the two others, which have keys and writes under way: each is handled or refused as malformed, the
 * nodes live, and restart. Each message is preceded by a byte that chooses the receiver, its type, and two bytes with its length.
 */
class MapsFuzz {
    private static final View VIEW = view(1, "a", "b", "c");
    private static final NodeId SENDER = NodeId.of("b");
    private static final int MESSAGES_MAX = 8;

    static Stream<byte[]> seeds() {
        return FunnelGoldenTest.messages().entrySet().stream().map(message -> {
            Slice body = message.getValue();
            BinWriter seed = new BinWriter();
            for (int receiver = 0; receiver < 2; receiver++) {
                seed.u8(receiver).u8(message.getKey()).u16(body.length()).raw(body);
            }
            return seed.toArray();
        });
    }

    @MethodSource("seeds")
    @FuzzTest(maxExecutions = 1_000_000, maxDuration = "1h")
    void anyMessages(byte[] input) {
        FunnelNodes nodes = new FunnelNodes("a", "b", "c");
        nodes.grant(VIEW);
        nodes.node("a").put("k", "v");
        nodes.run();
        nodes.node("c").isStoreSlow = true;
        nodes.node("a").put("k", "w");
        nodes.run();
        nodes.node("c").isStoreSlow = false;

        ByteBuffer rest = ByteBuffer.wrap(input);
        for (int i = 0; i < MESSAGES_MAX && rest.remaining() > 4; i++) {
            FunnelNodes.Node receiver = nodes.node((rest.get() & 1) == 0 ? "a" : "c");
            int type = Byte.toUnsignedInt(rest.get());
            byte[] body = new byte[Math.min(rest.getShort() & 0xffff, rest.remaining())];
            rest.get(body);
            say(receiver, type, body);
            nodes.turn(receiver);
        }
        nodes.pass(Duration.ofSeconds(1), VIEW);
        for (FunnelNodes.Node node : List.of(nodes.node("a"), nodes.node("c"))) {
            node.turn.completeStore();
            node.reboot();
        }
    }

    private static void say(FunnelNodes.Node receiver, int type, byte[] body) {
        if (receiver.protocol.knows(type)) {
            try {
                receiver.protocol.onMessage(
                        receiver.peers.peer(SENDER), type, new BinReader(Slice.of(body)), receiver.turn);
            } catch (MalformedException e) {
                // Refused: the link ends.
            }
        }
    }
}
