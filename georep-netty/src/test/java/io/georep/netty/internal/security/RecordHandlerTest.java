package io.georep.netty.internal.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.netty.internal.Samples;
import io.georep.netty.internal.SecretEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to records between two ends that have proved the secret. */
class RecordHandlerTest {
    private final SecretEnd[] ends = SecretEnd.linked();
    private final SecretEnd sender = ends[0];
    private final SecretEnd receiver = ends[1];

    @AfterEach
    void end() {
        receiver.channel().checkException();
        sender.end();
        receiver.end();
    }

    private byte[] record(String text) {
        sender.write(text);
        return sender.said();
    }

    private void assertBroken(String let) {
        assertThat(receiver.text()).isEqualTo(let);
        assertThat(receiver.reasons()).hasSize(1);
        assertThat(receiver.isOpen()).isFalse();
    }

    @Test
    void whatIsWrittenAtOnceIsOneRecord() {
        byte[] record = record("some chunks");

        assertThat(ByteBuffer.wrap(record).getInt()).isEqualTo(record.length - RecordHandler.HEADER_BYTES);
        assertThat(record).hasSize("some chunks".length() + RecordHandler.HEADER_BYTES + RecordCipher.TAG_BYTES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 15, 16, 17, 65_536, RecordHandler.PLAIN_MAX - 1, RecordHandler.PLAIN_MAX, 400_000})
    void anyLengthComesThrough(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);

        sender.write(bytes);
        SecretEnd.connect(sender, receiver);

        assertThat(receiver.let()).isEqualTo(bytes);
        assertThat(receiver.reasons()).isEmpty();
    }

    @Test
    void buffersOnAndOffTheHeapAreTakenFromWhereTheyBegin() {
        byte[] more = "xxxbytes ".getBytes(StandardCharsets.US_ASCII);
        for (ByteBuf buffer : List.of(
                Unpooled.directBuffer(),
                Unpooled.buffer(),
                Unpooled.copiedBuffer(more).slice())) {
            ByteBuf some = buffer.clear().writeBytes(more).skipBytes(3);
            sender.channel().writeOutbound(some);
            assertThat(some.refCnt()).isZero();
        }
        SecretEnd.connect(sender, receiver);

        assertThat(receiver.text()).isEqualTo("bytes bytes bytes ");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void recordsMayComeInAnyPieces(long seed) {
        Random random = new Random(seed);
        byte[] stream = new byte[0];
        byte[] plain = new byte[0];
        for (int i = 0; i < 30; i++) {
            byte[] bytes = new byte[1 + random.nextInt(i % 5 == 0 ? 200_000 : 300)];
            random.nextBytes(bytes);
            plain = Samples.join(plain, bytes);
            sender.write(bytes);
            stream = Samples.join(stream, sender.said());
        }
        for (int from = 0; from < stream.length; ) {
            int to = Math.min(stream.length, from + 1 + random.nextInt(random.nextBoolean() ? 7 : 70_000));
            receiver.hear(Arrays.copyOfRange(stream, from, to));
            from = to;
        }

        assertThat(receiver.let()).isEqualTo(plain);
        assertThat(receiver.reasons()).isEmpty();
    }

    @Test
    void aRepeatedRecordEndsTheConnection() {
        byte[] first = record("pay ");
        receiver.hear(first);
        receiver.hear(first);

        assertBroken("pay ");
        assertThat(receiver.reasons().get(0)).contains("record 1").contains("repeated");
    }

    @Test
    void aRecordOutOfOrderEndsTheConnection() {
        byte[] first = record("1");
        receiver.hear(record("2"));

        assertBroken("");
        receiver.hear(first);
        assertThat(receiver.text()).isEmpty();
    }

    @Test
    void aRecordLeftOutEndsTheConnection() {
        receiver.hear(record("1"));
        record("2");
        receiver.hear(record("3"));

        assertBroken("1");
    }

    @Test
    void aRecordSentBackEndsTheConnection() {
        byte[] own = record("text");
        sender.hear(own);

        assertThat(sender.text()).isEmpty();
        assertThat(sender.reasons()).hasSize(1);
        assertThat(sender.isOpen()).isFalse();
    }

    @Test
    void aRecordOfAnotherConnectionEndsTheConnection() {
        SecretEnd dialer = new SecretEnd(ChannelSecurity.Side.DIALER, Samples.range(1, 32), SecretEnd.OLD);
        SecretEnd acceptor = SecretEnd.acceptor(SecretEnd.OLD);
        SecretEnd.connect(dialer, acceptor);
        dialer.write("text");

        receiver.hear(dialer.said());

        assertBroken("");
    }

    /** Length, first and last sealed byte, first and last byte of what proves them. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 13, 14, 20, 28, 29})
    void anAlteredByteEndsTheConnection(int position) {
        byte[] record = record("ten bytes!");
        assertThat(record).hasSize(30);
        record[position] ^= 1;
        receiver.hear(record);
        // A longer length waits for more.
        receiver.hear(record("more, so that whatever is said to follow has come: " + "x".repeat(200_000)));

        assertBroken("");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 16, 20})
    void aRecordWithoutItsEndEndsTheConnection(int missing) {
        byte[] record = record("ten bytes!");
        receiver.hear(Arrays.copyOf(record, record.length - missing));
        assertThat(receiver.text()).isEmpty();
        receiver.hear(record("the next record, long enough"));

        assertBroken("");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16, -1, Integer.MIN_VALUE, RecordHandler.PLAIN_MAX + RecordCipher.TAG_BYTES + 1})
    void aLengthThatCannotBeEndsTheConnectionAtOnce(int length) {
        receiver.hear(ByteBuffer.allocate(4).putInt(length).array());

        assertBroken("");
        assertThat(receiver.reasons().get(0)).contains("says that it has");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noiseEndsTheConnectionAndLetsNothingThrough(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            SecretEnd[] pair = SecretEnd.linked();
            byte[] noise = new byte[25 + random.nextInt(500)];
            random.nextBytes(noise);
            if (random.nextBoolean()) {
                ByteBuffer.wrap(noise).putInt(17 + random.nextInt(noise.length - 24));
            }
            pair[1].hear(noise);

            assertThat(pair[1].let()).isEmpty();
            assertThat(pair[1].isOpen()).isFalse();
            pair[1].channel().checkException();
            pair[0].end();
            pair[1].end();
        }
    }
}
