package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hostile bytes on the accepting end: whatever comes, the connection stays open or is closed in order, nothing is thrown,
 * nothing leaks, and no more memory is in use than what came can explain.
 */
class LinkFuzzTest {
    private static final int ROUNDS = 300;
    private static final int CONSTANT_BYTES = 2 * (Reassembly.BELIEVED_BYTES + 2 * ChunkFormat.BODY_MAX);

    /** Bytes after which a random stream would stop being interesting. */
    private static final int STREAM_BYTES_MAX = 500_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void mutatedStreams(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] stream = mutate(validStream(random), random);

            RecordingListener heard = new RecordingListener(new Object());
            Admission admission = new Admission(Samples.AMS, "georep");
            run(
                    stream,
                    heard,
                    random,
                    new HandshakeDecoder(),
                    new AcceptHandshake(Samples.around(admission, heard, new LinkCounters())));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6})
    void randomBytesAfterTheHandshake(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] stream = new byte[1 + random.nextInt(2000)];
            random.nextBytes(stream);
            // Headers that get past the first checks are more interesting than those that do not.
            stream[0] &= (byte) 0xc0;

            RecordingListener heard = new RecordingListener(new Object());
            run(stream, heard, random, Samples.decoder(Samples.NYC, 1 << 20, heard, new LinkCounters()));
        }
    }

    private static byte[] validStream(Random random) {
        byte[][] frames = new byte[random.nextInt(6)][];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = new byte[random.nextInt(3) == 0 ? random.nextInt(150_000) : random.nextInt(300)];
            random.nextBytes(frames[i]);
        }
        return Samples.join(
                HandshakeFormat.encode(Samples.hello()),
                Samples.chunks(random.nextBoolean(), frames),
                Samples.chunks(random.nextBoolean(), frames));
    }

    private static byte[] mutate(byte[] valid, Random random) {
        byte[] stream = valid.clone();
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(random.nextBoolean() ? Math.min(200, stream.length) : stream.length);
            switch (random.nextInt(4)) {
                case 0 -> stream[at] = (byte) random.nextInt();
                case 1 -> stream[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> stream = Arrays.copyOf(stream, Math.max(1, at));
                default ->
                    stream = Samples.join(Arrays.copyOf(stream, at), Arrays.copyOfRange(stream, at / 2, stream.length));
            }
        }
        return stream.length > STREAM_BYTES_MAX ? Arrays.copyOf(stream, STREAM_BYTES_MAX) : stream;
    }

    private static void run(byte[] stream, RecordingListener heard, Random random, ChannelHandler... handlers) {
        EmbeddedChannel channel = new EmbeddedChannel(handlers);
        int from = 0;
        while (from < stream.length && channel.isOpen()) {
            int to = Math.min(stream.length, from + 1 + random.nextInt(random.nextBoolean() ? 40 : 70_000));
            channel.writeInbound(Unpooled.copiedBuffer(stream, from, to - from));
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
}
