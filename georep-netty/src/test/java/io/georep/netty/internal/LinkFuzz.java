package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.georep.netty.internal.accept.AcceptHandshake;
import io.georep.netty.internal.accept.Admission;
import io.georep.netty.internal.accept.ChunkDecoder;
import io.georep.netty.internal.accept.Reassembly;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.wire.ChunkFormat;
import io.georep.netty.internal.wire.HandshakeDecoder;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.spi.RecordingListener;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes from a stranger, or from a peer after the handshake: the connection goes on or is closed in order, nothing is
 * thrown, and no more memory is in use than what came can explain. The first byte says to whom they come, the second in pieces
 * of which size.
 */
class LinkFuzz {
    private static final int CONSTANT_BYTES = 2 * (Reassembly.BELIEVED_BYTES + 2 * ChunkFormat.BODY_MAX);

    /** Who hears the bytes. */
    private enum Hearer {
        ACCEPTOR,
        LINK,
        ACCEPTOR_WITH_SECRET,
        DIALER_WITH_SECRET,
        LINK_WITH_SECRET
    }

    static Stream<byte[]> seeds() {
        List<byte[]> formats = Stream.concat(
                        new LinkGoldenTest().formats().stream().map(format -> format.bytes()),
                        Stream.of(Samples.join(
                                HandshakeFormat.encode(Samples.hello()), Samples.chunks(false, new byte[] {1, 2, 3}))))
                .toList();
        return Arrays.stream(Hearer.values())
                .flatMap(hearer -> formats.stream()
                        .map(bytes -> Samples.join(new byte[] {(byte) hearer.ordinal(), (byte) 255}, bytes)));
    }

    @MethodSource("seeds")
    @FuzzTest(maxExecutions = 2_000_000, maxDuration = "1h")
    void anyBytes(byte[] input) {
        if (input.length < 2) {
            return;
        }
        Hearer hearer = Hearer.values()[(input[0] & 0xff) % Hearer.values().length];
        RecordingListener heard = new RecordingListener(new Object());
        EmbeddedChannel channel = channel(hearer, heard);
        int piece = 1 + (input[1] & 0xff);
        int from = 2;
        while (from < input.length && channel.isOpen()) {
            int to = Math.min(input.length, from + piece);
            channel.writeInbound(Unpooled.copiedBuffer(input, from, to - from));
            from = to;
            ChunkDecoder decoder = channel.pipeline().get(ChunkDecoder.class);
            if (decoder != null) {
                assertThat(decoder.reassemblyBytes()).isLessThanOrEqualTo(2 * from + CONSTANT_BYTES);
            }
        }
        channel.checkException();
        channel.finishAndReleaseAll();
        assertThat(heard.frames().stream().mapToInt(frame -> frame.length).sum())
                .isLessThanOrEqualTo(from);
    }

    private static EmbeddedChannel channel(Hearer hearer, RecordingListener heard) {
        return switch (hearer) {
            case ACCEPTOR ->
                new EmbeddedChannel(
                        new HandshakeDecoder(),
                        new AcceptHandshake(
                                Samples.around(new Admission(Samples.AMS, "georep"), heard, new LinkCounters())));
            case LINK -> new EmbeddedChannel(Samples.decoder(Samples.NYC, 1 << 20, heard, new LinkCounters()));
            case ACCEPTOR_WITH_SECRET -> SecretEnd.acceptor(SecretEnd.OLD).channel();
            case DIALER_WITH_SECRET -> SecretEnd.dialer(SecretEnd.OLD).channel();
            case LINK_WITH_SECRET -> SecretEnd.linked()[1].channel();
        };
    }
}
