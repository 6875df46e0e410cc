package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinWriter;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.outbox.core.OutboxProtocol;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.protocol.membership.FrameHeader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Frames of all protocols as real nodes send them, with bytes changed, cut, doubled and mixed: each is handled, or its
 * sender is refused by name; the node lives and goes on, and no number makes it work for ever.
 */
@Timeout(120)
class WireFuzzTest {
    private static final int ROUNDS = 40;
    private static final int FRAMES_PER_ROUND = 500;
    private static final NodeIdentity B = new NodeIdentity(WireNet.B, 1, 2, 3, "b:1", "site");

    private final RandomGenerator random =
            RandomGeneratorFactory.of("L64X128MixRandom").create(8);

    /** Frames of nodes that meet, put, forward, are silent and return, and one of each message there is. */
    private final List<byte[]> frames = new ArrayList<>();

    private WireNet net = new WireNet();
    private WireNet.Node a = net.node(WireNet.A);
    private WireNet.Node c = net.node(WireNet.C);
    private int handled;
    private int refused;

    @BeforeEach
    void record() {
        net.heard = frames::add;
        meet();
        net.cut = true;
        net.run(WireNet.CONFIG.failoverAfter().toNanos() + 2 * WireNet.SECOND);
        net.cut = false;
        c.reboot();
        meet();
        for (WireFields.Message message : WireFields.messages()) {
            frames.add(frame(message.channel(), message.type(), message.usual()));
        }
        net.heard = frame -> {};
    }

    private void meet() {
        a.inputs.add(new Input.LinkUp(c.membership.self()));
        c.inputs.add(new Input.LinkUp(a.membership.self()));
        a.inputs.add(new Input.LinkUp(B));
        net.run(WireNet.SECOND);
        for (WireNet.Node node : List.of(a, c)) {
            node.inputs.add(new Input.Command(
                    OutboxProtocol.CHANNEL,
                    new OutboxCommand.PutAll(List.of(
                            new OutboxCommand.Put("queue", 1, Slice.utf8("some payload"), "put"),
                            new OutboxCommand.Put("other", 0, Slice.utf8("x"), "put")))));
            node.inputs.add(new Input.Command(OutboxProtocol.CHANNEL, new OutboxCommand.Credit("queue", 1)));
        }
        net.run(3 * WireNet.SECOND);
    }

    private static byte[] frame(int channel, int type, byte[] body) {
        BinWriter out = new BinWriter();
        new FrameHeader(1, 2, 1, 0, true, true, 30_000).write(out);
        return out.u8(channel).u8(type).bytes(Slice.of(body)).toArray();
    }

    private byte[] mutated() {
        byte[] frame = frames.get(random.nextInt(frames.size())).clone();
        for (int changes = random.nextInt(4); changes >= 0; changes--) {
            if (frame.length == 0) {
                return frame;
            }
            int at = random.nextInt(frame.length);
            frame = switch (random.nextInt(8)) {
                case 0 -> Arrays.copyOf(frame, at);
                case 1 -> spliced(frame, at, frame, random.nextInt(frame.length));
                case 2 -> {
                    byte[] other = frames.get(random.nextInt(frames.size()));
                    yield other.length == 0 ? frame : spliced(frame, at, other, random.nextInt(other.length));
                }
                case 3 -> {
                    frame[at] = (byte) (random.nextBoolean() ? 0x7f : 0xff);
                    yield frame;
                }
                default -> {
                    frame[at] ^= (byte) (1 << random.nextInt(8));
                    yield frame;
                }
            };
        }
        return frame;
    }

    private static byte[] spliced(byte[] head, int to, byte[] tail, int from) {
        byte[] both = Arrays.copyOf(head, to + tail.length - from);
        System.arraycopy(tail, from, both, to, tail.length - from);
        return both;
    }

    private void fuzz() {
        NodeIdentity[] senders = {B, c.membership.self()};
        for (int i = 0; i < FRAMES_PER_ROUND; i++) {
            NodeIdentity from = senders[random.nextInt(2)];
            byte[] frame = mutated();
            a.inputs.add(new Input.Frame(from, frame));
            try {
                a.turnIfDue();
            } catch (RuntimeException e) {
                throw new AssertionError("frame " + Arrays.toString(frame), e);
            }
            if (a.refusals.isEmpty()) {
                handled++;
            } else {
                assertThat(a.refusals)
                        .allMatch(reason -> reason.startsWith(from.id() + ": ") || reason.contains("use"));
                refused++;
                a.refusals.clear();
            }
            if (i % 50 == 49) {
                net.run(WireNet.SECOND);
            }
        }
        net.run(WireNet.CONFIG.failoverAfter().toNanos() + 2 * WireNet.SECOND);
    }

    @Test
    void aNodeLivesThroughFramesWithChangedBytes() {
        for (int round = 0; round < ROUNDS; round++) {
            net = new WireNet();
            a = net.node(WireNet.A);
            c = net.node(WireNet.C);
            meet();
            fuzz();
            a.reboot();
            net.run(WireNet.SECOND);
        }

        assertThat(handled).isGreaterThan(ROUNDS * FRAMES_PER_ROUND / 10);
        assertThat(refused).isGreaterThan(ROUNDS * FRAMES_PER_ROUND / 10);
    }
}
