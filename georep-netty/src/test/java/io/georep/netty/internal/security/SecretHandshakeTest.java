package io.georep.netty.internal.security;

import static io.georep.netty.internal.SecretEnd.ACCEPTOR_NONCE;
import static io.georep.netty.internal.SecretEnd.DIALER_NONCE;
import static io.georep.netty.internal.SecretEnd.NEW;
import static io.georep.netty.internal.SecretEnd.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.netty.internal.Samples;
import io.georep.netty.internal.SecretEnd;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.georep.netty.internal.wire.SecretPreamble;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets through the proof of the shared secret, and what others learn. */
class SecretHandshakeTest {
    private static final LinkSecret SECRET = new LinkSecret(OLD);

    private static byte[] message(SecretPreamble.Kind kind, byte[] body) {
        ByteBuf bytes = SecretPreamble.encode(kind, body);
        return bytes.array();
    }

    private static void assertRefused(SecretEnd end, String reason) {
        assertThat(end.reasons()).hasSize(1);
        assertThat(end.reasons().get(0)).contains(reason);
        assertThat(end.isOpen()).isFalse();
        assertThat(end.isProved()).isFalse();
        assertThat(end.let()).isEmpty();
    }

    @Test
    void whoKnowsTheSecretGetsThroughInBothDirections() {
        SecretEnd[] ends = SecretEnd.linked();
        ends[0].write("from the dialer");
        ends[1].write("from the acceptor");
        SecretEnd.connect(ends[0], ends[1]);

        assertThat(ends[1].text()).isEqualTo("from the dialer");
        assertThat(ends[0].text()).isEqualTo("from the acceptor");
        assertThat(ends[0].channel().pipeline().get(SecretHandshake.class)).isNull();
        assertThat(ends[0].reasons()).isEmpty();
        assertThat(ends[1].reasons()).isEmpty();
    }

    @Test
    void whatIsWrittenEarlyIsSaidAfterTheProofOnly() {
        SecretEnd dialer = SecretEnd.dialer(OLD);
        dialer.write("who I am");
        SecretEnd acceptor = SecretEnd.acceptor(OLD);

        byte[] challenge = dialer.said();
        acceptor.hear(challenge);
        dialer.hear(acceptor.said());
        byte[] proof = dialer.said();

        assertThat(challenge).isEqualTo(message(SecretPreamble.Kind.CHALLENGE, DIALER_NONCE));
        assertThat(proof).hasSize(SecretPreamble.BYTES);
        acceptor.hear(proof);
        SecretEnd.connect(dialer, acceptor);
        assertThat(acceptor.text()).isEqualTo("who I am");
    }

    @Test
    void whatIsWrittenEarlyFailsIfTheProofNeverComes() {
        SecretEnd dialer = SecretEnd.dialer(OLD);
        ByteBuf early = Unpooled.copiedBuffer("who I am", StandardCharsets.US_ASCII);
        ChannelFuture written = dialer.channel().write(early);

        dialer.channel().close();

        assertThat(written.isDone()).isTrue();
        assertThat(written.isSuccess()).isFalse();
        assertThat(early.refCnt()).isZero();
    }

    @Test
    void bytesMayComeOneByOneOrWithThoseThatFollow() {
        SecretEnd dialer = SecretEnd.dialer(OLD);
        SecretEnd acceptor = SecretEnd.acceptor(OLD);
        dialer.write("early");
        for (int round = 0; round < 6; round++) {
            for (byte one : dialer.said()) {
                acceptor.hear(new byte[] {one});
            }
            for (byte one : acceptor.said()) {
                dialer.hear(new byte[] {one});
            }
        }
        assertThat(acceptor.text()).isEqualTo("early");

        SecretEnd hasty = SecretEnd.dialer(OLD);
        SecretEnd listener = SecretEnd.acceptor(OLD);
        listener.hear(hasty.said());
        hasty.hear(listener.said());
        byte[] proof = hasty.said();
        listener.hear(proof);
        byte[] welcome = listener.said();
        listener.write("at once");
        hasty.hear(Samples.join(welcome, listener.said()));
        assertThat(hasty.text()).isEqualTo("at once");
    }

    @Test
    void twoSecretsRefuseEachOtherWithTheReasonOnBothSides() {
        SecretEnd dialer = SecretEnd.dialer(OLD);
        SecretEnd acceptor = SecretEnd.acceptor(NEW);

        SecretEnd.connect(dialer, acceptor);

        assertRefused(acceptor, "does not know this node's shared secret");
        assertRefused(dialer, "does not know this node's shared secret: give both the same secret");
    }

    /** Each row is a moment of the procedure that changes the secret; a node proves its first and accepts both. */
    @ParameterizedTest
    @CsvSource({
        "old,       old,       true",
        "old,       'old new', true",
        "'old new', old,       true",
        "'old new', 'old new', true",
        "'old new', 'new old', true",
        "'new old', 'old new', true",
        "'new old', new,       true",
        "new,       'new old', true",
        "new,       new,       true",
        // What comes of a step left out.
        "'new old', old,       false",
        "new,       'old new', true",
        "'old new', new,       false",
        "old,       new,       false"
    })
    void aSecretIsChangedInThreeSteps(String dialers, String acceptors, boolean through) {
        SecretEnd dialer = SecretEnd.dialer(secrets(dialers));
        SecretEnd acceptor = SecretEnd.acceptor(secrets(acceptors));
        dialer.write("hello");

        SecretEnd.connect(dialer, acceptor);

        assertThat(acceptor.text()).isEqualTo(through ? "hello" : "");
        assertThat(dialer.isProved()).isEqualTo(through);
        assertThat(dialer.isOpen()).isEqualTo(through);
    }

    private static byte[][] secrets(String names) {
        return Arrays.stream(names.split(" "))
                .map(name -> name.equals("old") ? OLD : NEW)
                .toArray(byte[][]::new);
    }

    @Test
    void aStrangerLearnsANonceAndNothingElse() {
        SecretEnd acceptor = SecretEnd.acceptor(OLD);
        acceptor.hear(message(SecretPreamble.Kind.CHALLENGE, DIALER_NONCE));
        assertThat(acceptor.said()).isEqualTo(message(SecretPreamble.Kind.ANSWER, ACCEPTOR_NONCE));

        acceptor.hear(message(SecretPreamble.Kind.PROOF, new byte[SecretPreamble.NONCE_BYTES]));

        byte[] refusal = SecretPreamble.encode(SecretPreamble.Refusal.SECRET).array();
        assertThat(acceptor.said()).isEqualTo(refusal);
        assertRefused(acceptor, "does not know");
    }

    @Test
    void aReflectedNonceIsRefused() {
        SecretEnd dialer = SecretEnd.dialer(OLD);
        dialer.said();

        dialer.hear(message(SecretPreamble.Kind.ANSWER, DIALER_NONCE));

        assertThat(dialer.said()).isEmpty();
        assertRefused(dialer, "own nonce");
    }

    @Test
    void aReflectedProofIsRefused() {
        SecretEnd dialer = SecretEnd.dialer(OLD);
        dialer.said();
        dialer.hear(message(SecretPreamble.Kind.ANSWER, ACCEPTOR_NONCE));
        byte[] proof = dialer.said();
        byte[] reflected =
                message(SecretPreamble.Kind.WELCOME, Arrays.copyOfRange(proof, proof.length - 32, proof.length));

        dialer.hear(reflected);

        assertRefused(dialer, "did not prove");
    }

    /** An attacker asks one connection for what another one wants: the proof of an acceptor is none of a dialer. */
    @Test
    void theProofOfOneSideIsNoneOfTheOther() {
        SecretEnd acceptor = SecretEnd.acceptor(OLD);
        acceptor.hear(message(SecretPreamble.Kind.CHALLENGE, DIALER_NONCE));

        byte[] proof = SECRET.proof(ChannelSecurity.Side.ACCEPTOR, DIALER_NONCE, ACCEPTOR_NONCE);
        acceptor.hear(message(SecretPreamble.Kind.PROOF, proof));

        assertRefused(acceptor, "does not know");
    }

    @Test
    void theKeysOfTheTwoDirectionsDiffer() {
        byte[] dialers = SECRET.key(ChannelSecurity.Side.DIALER, DIALER_NONCE, ACCEPTOR_NONCE);

        assertThat(dialers).isNotEqualTo(SECRET.key(ChannelSecurity.Side.ACCEPTOR, DIALER_NONCE, ACCEPTOR_NONCE));
        assertThat(dialers).isNotEqualTo(SECRET.key(ChannelSecurity.Side.DIALER, ACCEPTOR_NONCE, DIALER_NONCE));
        assertThat(dialers)
                .isNotEqualTo(new LinkSecret(NEW).key(ChannelSecurity.Side.DIALER, DIALER_NONCE, ACCEPTOR_NONCE));
    }

    @Test
    void aRecordedConnectionCannotBePlayedAgain() {
        SecretEnd dialer = SecretEnd.dialer(OLD);
        SecretEnd acceptor = SecretEnd.acceptor(OLD);
        byte[] recorded = new byte[0];
        dialer.write("delete everything");
        for (int i = 0; i < 3; i++) {
            byte[] said = dialer.said();
            recorded = Samples.join(recorded, said);
            acceptor.hear(said);
            dialer.hear(acceptor.said());
        }
        assertThat(acceptor.text()).isEqualTo("delete everything");
        SecretEnd victim = new SecretEnd(ChannelSecurity.Side.ACCEPTOR, Samples.range(1, 32), OLD);

        victim.hear(recorded);

        assertRefused(victim, "does not know");
    }

    @ParameterizedTest
    @EnumSource(names = {"ANSWER", "WELCOME", "PROOF", "REFUSE"})
    void anAcceptorIsNotToldWhatAnAcceptorSays(SecretPreamble.Kind kind) {
        SecretEnd acceptor = SecretEnd.acceptor(OLD);

        acceptor.hear(message(kind, new byte[32]));

        assertRefused(acceptor, "broke the rules");
    }

    @Test
    void aDialerWantsTheAnswerFirst() {
        SecretEnd dialer = SecretEnd.dialer(OLD);

        dialer.hear(message(SecretPreamble.Kind.WELCOME, new byte[32]));

        assertRefused(dialer, "ANSWER was due");
    }

    @Test
    void anotherVersionIsRefusedOnBothSides() {
        byte[] challenge = message(SecretPreamble.Kind.CHALLENGE, DIALER_NONCE);
        challenge[4] = 2;
        SecretEnd acceptor = SecretEnd.acceptor(OLD);
        acceptor.hear(challenge);
        SecretEnd dialer = SecretEnd.dialer(OLD);
        dialer.said();

        dialer.hear(acceptor.said());

        assertRefused(acceptor, "version 2");
        assertRefused(dialer, "another version");
    }

    @Test
    void aNodeWithoutASecretIsToldInWordsOfItsOwnProtocol() {
        SecretEnd acceptor = SecretEnd.acceptor(OLD);

        acceptor.hear(HandshakeFormat.encode(Samples.hello()));

        assertThat(HandshakeFormat.decode(acceptor.said()))
                .isInstanceOfSatisfying(
                        Handshake.Refuse.class,
                        refuse -> assertThat(refuse.code()).isEqualTo(RefusalCode.SECRET));
        assertRefused(acceptor, "without a shared secret");
    }

    @Test
    void anAcceptorThatAsksForNoSecretIsNotToldWhoDials() {
        SecretEnd dialer = SecretEnd.dialer(OLD);
        dialer.write("who I am");
        dialer.said();

        dialer.hear(HandshakeFormat.encode(new Handshake.Accept(1, Samples.AMS)));

        assertThat(dialer.said()).isEmpty();
        assertRefused(dialer, "without a shared secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n\r\n", "\u0016\u0003\u0001\u0000", "SSH-2.0", "GEOX", "X"})
    void strangersAreRecognisedByTheFirstByteThatDiffers(String words) {
        SecretEnd acceptor = SecretEnd.acceptor(OLD);

        acceptor.hear(words.getBytes(StandardCharsets.ISO_8859_1));

        assertThat(acceptor.said()).isEmpty();
        assertRefused(acceptor, "it sent ");
    }

    @Test
    void aDialerIsToldWhyItsConnectionEnded() {
        SecretEnd unanswered = SecretEnd.dialer(OLD);
        unanswered.channel().close();
        SecretEnd unwelcome = SecretEnd.dialer(OLD);
        unwelcome.hear(message(SecretPreamble.Kind.ANSWER, ACCEPTOR_NONCE));
        unwelcome.channel().close();

        assertRefused(unanswered, "does it have one?");
        assertRefused(unwelcome, "instead of proving");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noBytesAtAnyStageGetThrough(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            ChannelSecurity.Side side = ChannelSecurity.Side.values()[random.nextInt(2)];
            SecretEnd end = side == ChannelSecurity.Side.DIALER ? SecretEnd.dialer(OLD) : SecretEnd.acceptor(OLD);
            end.channel().write(Unpooled.copiedBuffer("secret words", StandardCharsets.US_ASCII));
            for (int i = random.nextInt(4); i >= 0; i--) {
                end.hear(noise(random));
            }

            assertThat(end.isProved()).isFalse();
            assertThat(end.let()).isEmpty();
            assertThat(new String(end.said(), StandardCharsets.ISO_8859_1)).doesNotContain("secret words");
            end.channel().checkException();
            end.end();
        }
    }

    /** Messages of any kind with any body, damaged messages, and plain noise. */
    private static byte[] noise(Random random) {
        byte[] body = new byte[32];
        random.nextBytes(body);
        SecretPreamble.Kind[] kinds = SecretPreamble.Kind.values();
        byte[] message = message(kinds[random.nextInt(kinds.length)], body);
        switch (random.nextInt(4)) {
            case 0 -> message[random.nextInt(6)] = (byte) random.nextInt();
            case 1 -> message = Arrays.copyOf(message, 1 + random.nextInt(100));
            case 2 -> random.nextBytes(message);
            default -> {}
        }
        return message;
    }
}
