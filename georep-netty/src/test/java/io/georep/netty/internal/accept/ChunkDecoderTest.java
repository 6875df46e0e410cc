package io.georep.netty.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.netty.internal.Samples;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.wire.ChunkFormat;
import io.georep.spi.RecordingListener;
import io.georep.spi.RecordingListener.Event;
import io.georep.spi.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkDecoderTest {
    private static final int FRAME_BYTES_MAX = 1 << 20;

    private final RecordingListener heard = new RecordingListener(new Object());
    private final LinkCounters counters = new LinkCounters();
    private final ChunkDecoder decoder = Samples.decoder(Samples.NYC, FRAME_BYTES_MAX, heard, counters);
    private final EmbeddedChannel channel = new EmbeddedChannel(decoder);

    @AfterEach
    void nothingIsLeft() {
        channel.checkException();
        assertThat(channel.finishAndReleaseAll()).isFalse();
    }

    private void feed(byte[] bytes) {
        channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    }

    /** A chunk with a right checksum, whatever else is wrong with it. */
    private static byte[] chunk(int flags, int length, byte[] body) {
        int word = flags | length;
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(4).putInt(word).flip());
        crc.update(body);
        return ByteBuffer.allocate(8 + body.length)
                .putInt(word)
                .putInt((int) crc.getValue())
                .put(body)
                .array();
    }

    private static byte[] first(int flags, int total, byte[] bytes) {
        byte[] body = Samples.join(ByteBuffer.allocate(4).putInt(total).array(), bytes);
        return chunk(flags | ChunkFormat.MORE, body.length, body);
    }

    private void assertRefused() {
        assertThat(channel.isOpen()).isFalse();
        assertThat(counters.malformed.sum()).isEqualTo(1);
    }

    @Test
    void readsTheChunksOfTheSpecification() {
        feed(HexFormat.of()
                .parseHex("000000053923f9b468656c6c6f" + "40000006d48c536d757267656e74" + "0000000048674bc7"));

        assertThat(heard.frames()).containsExactly("hello".getBytes(), "urgent".getBytes(), new byte[0]);
        assertThat(heard.events(Event.Frame.class))
                .allMatch(frame -> frame.from().equals(Samples.NYC));
        assertThat(counters.framesIn.sum()).isEqualTo(3);
        assertThat(counters.bytesIn.sum()).isEqualTo(13 + 14 + 8);
    }

    @Test
    void readsByteByByte() {
        byte[] large = Samples.counting(200_000);
        byte[] stream = Samples.join(Samples.chunks(false, new byte[] {1}, large), Samples.chunks(true, new byte[0]));

        for (byte one : stream) {
            feed(new byte[] {one});
        }

        assertThat(heard.frames()).containsExactly(new byte[] {1}, large, new byte[0]);
        assertThat(heard.events(Event.LifeSign.class)).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void readsHoweverItIsSplit(long seed) {
        Random random = new Random(seed);
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            byte[] frame = new byte[random.nextInt(4) == 0 ? random.nextInt(400_000) : random.nextInt(500)];
            random.nextBytes(frame);
            frames.add(frame);
        }
        byte[] stream = Samples.chunks(false, frames.toArray(byte[][]::new));

        for (int from = 0; from < stream.length; ) {
            int to = Math.min(stream.length, from + 1 + random.nextInt(random.nextBoolean() ? 10 : 100_000));
            feed(Arrays.copyOfRange(stream, from, to));
            from = to;
        }

        assertThat(heard.frames()).usingElementComparator(Arrays::compare).containsExactlyElementsOf(frames);
    }

    @Test
    void urgentFramesComeBetweenTheFragmentsOfOthers() {
        byte[] bulk = Samples.counting(150_000);
        byte[] bulkChunks = Samples.chunks(false, bulk);
        int firstChunk = ChunkFormat.HEADER_BYTES + ChunkFormat.BODY_MAX;
        byte[] urgent = Samples.counting(70_000);

        feed(Arrays.copyOf(bulkChunks, firstChunk));
        feed(Samples.chunks(true, urgent, new byte[] {7}));
        feed(Arrays.copyOfRange(bulkChunks, firstChunk, bulkChunks.length));

        assertThat(heard.frames()).containsExactly(urgent, new byte[] {7}, bulk);
    }

    /** Part of a frame is lost then, and nothing would be read any more. */
    @Test
    void aLinkEndsIfMemoryRunsOutWhenItGoesOn() {
        ReassemblyRoom room = Samples.room(FRAME_BYTES_MAX);
        ReassemblyRoom.Share full = room.enter(decoder, Samples.AMS.id());
        room.take(full, 1L << 40);
        Transport.Listener poor = (Transport.Listener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Transport.Listener.class}, (proxy, method, arguments) -> {
                    throw new InternalError("as if memory had run out; JUnit ends with an OutOfMemoryError");
                });
        EmbeddedChannel link = new EmbeddedChannel(new ChunkDecoder(
                Samples.NYC,
                FRAME_BYTES_MAX,
                poor,
                counters,
                Samples.log(),
                new Admission(Samples.AMS, "georep"),
                room));
        link.writeInbound(Unpooled.wrappedBuffer(Samples.chunks(false, Samples.counting(FRAME_BYTES_MAX))));
        assertThat(room.waiting()).isEqualTo(1);

        room.leave(full);
        link.runPendingTasks();

        assertThat(link.isOpen()).isFalse();
        assertThat(room.used()).isZero();
        link.finishAndReleaseAll();
    }

    /** It has looked by itself meanwhile, gone on, and waits for room again. */
    @Test
    void aGrantThatIsToldLateLetsNoOtherFrameIn() {
        ReassemblyRoom room = Samples.room(FRAME_BYTES_MAX);
        ReassemblyRoom.Share full = room.enter(decoder, Samples.AMS.id());
        room.take(full, 1L << 40);
        ChunkDecoder own = new ChunkDecoder(
                Samples.NYC,
                FRAME_BYTES_MAX,
                heard,
                counters,
                Samples.log(),
                new Admission(Samples.AMS, "georep"),
                room);
        EmbeddedChannel link = new EmbeddedChannel(own);
        byte[] large = Samples.counting(FRAME_BYTES_MAX);
        link.writeInbound(Unpooled.wrappedBuffer(Samples.chunks(false, large)));
        room.give(full, 1L << 40);
        link.runPendingTasks();
        assertThat(heard.frames()).containsExactly(large);
        room.take(full, 1L << 40);
        link.writeInbound(Unpooled.wrappedBuffer(Samples.chunks(false, large)));
        assertThat(room.waiting()).isEqualTo(1);

        own.granted();
        link.runPendingTasks();

        assertThat(counters.framesIn.sum()).isEqualTo(1);
        room.leave(full);
        link.runPendingTasks();
        assertThat(heard.frames()).containsExactly(large, large);
        link.finishAndReleaseAll();
    }

    @Test
    void everyChunkButTheLastIsALifeSign() {
        feed(Samples.chunks(false, Samples.counting(200_000)));

        assertThat(heard.events().subList(0, 3)).containsOnly(new Event.LifeSign(Samples.NYC));
        assertThat(heard.events()).hasSize(4);
    }

    @Test
    void wrongChecksumEndsTheConnectionBeforeAnythingIsDelivered() {
        byte[] stream = Samples.chunks(false, Samples.counting(300), Samples.counting(10));
        stream[100] ^= 1;

        feed(Samples.join(stream, Samples.chunks(false, new byte[] {1})));

        assertRefused();
        assertThat(heard.events()).isEmpty();
    }

    @Test
    void flippedFlagIsAWrongChecksum() {
        byte[] stream = Samples.chunks(false, Samples.counting(300));
        stream[0] ^= 0x40;

        feed(stream);

        assertRefused();
    }

    @Test
    void refusesChunkThatIsTooLong() {
        feed(chunk(0, ChunkFormat.BODY_MAX + 1, new byte[0]));

        assertRefused();
    }

    @Test
    void refusesUnknownFlags() {
        feed(chunk(1 << 27, 1, new byte[1]));

        assertRefused();
    }

    @ParameterizedTest
    @ValueSource(ints = {FRAME_BYTES_MAX + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
    void refusesFrameThatIsTooLarge(int total) {
        feed(first(0, total, new byte[1]));

        assertRefused();
        assertThat(decoder.reassemblyBytes()).isZero();
    }

    @Test
    void refusesFragmentsThatBringMoreThanTheFrame() {
        feed(Samples.join(first(0, 10, new byte[6]), chunk(0, 5, new byte[5])));

        assertRefused();
    }

    @Test
    void refusesFragmentsThatEndBeforeTheFrame() {
        feed(Samples.join(first(0, 10, new byte[6]), chunk(0, 3, new byte[3])));

        assertRefused();
    }

    @Test
    void refusesFragmentsThatGoOnAfterTheFrame() {
        feed(first(0, 10, new byte[10]));

        assertRefused();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesFragmentsWithoutContent(boolean atTheStart) {
        byte[] empty = chunk(ChunkFormat.MORE, 0, new byte[0]);
        feed(atTheStart ? first(0, 10, new byte[0]) : Samples.join(first(0, 10, new byte[1]), empty));

        assertRefused();
    }

    @Test
    void refusesFirstFragmentTooShortForItsLength() {
        feed(chunk(ChunkFormat.MORE, 2, new byte[20]));

        assertRefused();
    }

    @Test
    void claimedLengthCostsNoMemory() {
        int most = 0;
        ByteBuf stream = Unpooled.wrappedBuffer(Samples.chunks(false, Samples.counting(FRAME_BYTES_MAX)));
        int received = 0;
        while (stream.readableBytes() > 1) {
            int count = Math.min(10_000, stream.readableBytes() - 1);
            channel.writeInbound(stream.readRetainedSlice(count));
            received += count;
            assertThat(decoder.reassemblyBytes())
                    .isLessThanOrEqualTo(Math.max(Reassembly.BELIEVED_BYTES, 2 * (received + ChunkFormat.BODY_MAX)));
            most = Math.max(most, decoder.reassemblyBytes());
        }
        stream.release();

        assertThat(most).isEqualTo(FRAME_BYTES_MAX);
    }
}
