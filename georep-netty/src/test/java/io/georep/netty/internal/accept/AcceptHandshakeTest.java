package io.georep.netty.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.Samples;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeDecoder;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.georep.spi.RecordingListener;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AcceptHandshakeTest {
    private final RecordingListener heard = new RecordingListener(new Object());
    private final LinkCounters counters = new LinkCounters();
    private final Admission admission = new Admission(Samples.AMS, "georep");
    private final AcceptHandshake.Surroundings around = Samples.around(admission, heard, counters);
    private final EmbeddedChannel channel = new EmbeddedChannel(new HandshakeDecoder(), new AcceptHandshake(around));

    @AfterEach
    void nothingIsLeft() {
        channel.checkException();
        channel.finishAndReleaseAll();
        assertThat(around.newcomers().size()).isZero();
    }

    private void feed(byte[] bytes) {
        channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    }

    private Handshake answer(Handshake message) {
        feed(HandshakeFormat.encode(message));
        return HandshakeFormat.decode(Samples.written(channel));
    }

    private void assertRefusal(Handshake answer, RefusalCode code, String reason) {
        assertThat(answer).isInstanceOfSatisfying(Handshake.Refuse.class, refuse -> {
            assertThat(refuse.code()).isEqualTo(code);
            assertThat(refuse.reason()).contains(reason);
        });
        assertThat(channel.isOpen()).isFalse();
        assertThat(counters.refusalsSent.sum()).isEqualTo(1);
        assertThat(counters.linksIn.sum()).isZero();
    }

    private static NodeIdentity identity(String id, long nonce) {
        return new NodeIdentity(NodeId.of(id), 1, 1, nonce, "elsewhere:7400", "site");
    }

    @Test
    void acceptsAndReadsFrames() {
        Handshake answer = answer(Samples.hello());
        feed(Samples.chunks(false, new byte[] {1, 2, 3}));

        assertThat(answer).isEqualTo(new Handshake.Accept(1, Samples.AMS));
        assertThat(heard.frames()).containsExactly(new byte[] {1, 2, 3});
        assertThat(counters.linksIn.sum()).isEqualTo(1);
        channel.close();
        assertThat(counters.linksIn.sum()).isZero();
    }

    private EmbeddedChannel linked() {
        EmbeddedChannel link = new EmbeddedChannel(new HandshakeDecoder(), new AcceptHandshake(around));
        link.writeInbound(Unpooled.wrappedBuffer(HandshakeFormat.encode(Samples.hello())));
        return link;
    }

    private static void bring(EmbeddedChannel link, int frame) {
        link.writeInbound(Unpooled.wrappedBuffer(Samples.chunks(false, new byte[] {(byte) frame})));
    }

    /** The dialer gave the first up, and what it sent there is still on its way. */
    @Test
    void framesOfAnOldConnectionNeverFollowThoseOfANewOneOfTheSameBoot() {
        EmbeddedChannel old = linked();
        bring(old, 1);
        EmbeddedChannel next = linked();

        bring(old, 2);
        bring(next, 4);
        if (old.isOpen()) {
            bring(old, 3);
        }
        bring(next, 5);

        assertThat(heard.frames()).containsExactly(new byte[] {1}, new byte[] {2}, new byte[] {4}, new byte[] {5});
        assertThat(next.isOpen()).isTrue();
        next.finishAndReleaseAll();
    }

    /** Closing is the work of the old connection's event loop, which may still be handing frames out. */
    @Test
    void theFirstFramesOfANewConnectionWaitUntilTheOldOneIsClosed() {
        EmbeddedChannel old = linked();
        List<Runnable> closing = new ArrayList<>();
        closesWhenTold(old, closing);
        bring(old, 1);
        EmbeddedChannel next = linked();

        bring(next, 3);
        bring(next, 4);
        admission.reading(true);
        assertThat(next.config().isAutoRead()).as("nothing more is read").isFalse();
        bring(old, 2);
        closing.get(0).run();
        next.runPendingTasks();
        bring(next, 5);

        assertThat(heard.frames())
                .containsExactly(new byte[] {1}, new byte[] {2}, new byte[] {3}, new byte[] {4}, new byte[] {5});
        assertThat(next.config().isAutoRead()).isTrue();
        next.finishAndReleaseAll();
    }

    private static void closesWhenTold(EmbeddedChannel link, List<Runnable> closing) {
        link.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void close(ChannelHandlerContext context, ChannelPromise promise) {
                closing.add(() -> context.close(promise));
            }
        });
    }

    @Test
    void aConnectionThatIsToBeClosedForAnotherClosesNoneItself() {
        List<Runnable> closing = new ArrayList<>();
        EmbeddedChannel old = linked();
        closesWhenTold(old, closing);
        EmbeddedChannel first = linked();
        EmbeddedChannel second = linked();
        closesWhenTold(second, closing);

        bring(first, 1);
        bring(second, 2);
        closing.forEach(Runnable::run);
        first.runPendingTasks();

        assertThat(heard.frames()).containsExactly(new byte[] {1});
        assertThat(first.isOpen()).isTrue();
        assertThat(second.isOpen()).isFalse();
        first.finishAndReleaseAll();
    }

    /** A seed and a target that lead to one node: the dialer closes one of the two without having used it. */
    @Test
    void aSecondConnectionThatBringsNothingLeavesTheFirstAlone() {
        EmbeddedChannel used = linked();
        EmbeddedChannel spare = linked();
        bring(used, 1);
        assertThat(spare.isOpen()).as("the one in use wins").isFalse();

        EmbeddedChannel another = linked();
        another.close();
        bring(used, 2);

        assertThat(heard.frames()).containsExactly(new byte[] {1}, new byte[] {2});
        assertThat(used.isOpen()).isTrue();
        used.finishAndReleaseAll();
    }

    @Test
    void acceptsSeedDialerThatExpectsNobodyInParticular() {
        Handshake answer = answer(new Handshake.Hello(1, 9, "georep", Samples.NYC, ""));

        assertThat(answer).isEqualTo(new Handshake.Accept(1, Samples.AMS));
    }

    @Test
    void acceptsHandshakeAndFramesHoweverTheyAreSplit() {
        byte[] stream = Samples.join(
                HandshakeFormat.encode(Samples.hello()), Samples.chunks(false, Samples.counting(300), new byte[] {9}));
        for (int cut = 1; cut < stream.length; cut += 13) {
            RecordingListener told = new RecordingListener(new Object());
            EmbeddedChannel other = new EmbeddedChannel(
                    new HandshakeDecoder(),
                    new AcceptHandshake(Samples.around(new Admission(Samples.AMS, "georep"), told, counters)));

            other.writeInbound(Unpooled.wrappedBuffer(Arrays.copyOf(stream, cut)));
            other.writeInbound(Unpooled.wrappedBuffer(Arrays.copyOfRange(stream, cut, stream.length)));

            assertThat(told.frames()).containsExactly(Samples.counting(300), new byte[] {9});
            other.finishAndReleaseAll();
        }
    }

    @Test
    void refusesAnotherCluster() {
        Handshake answer = answer(new Handshake.Hello(1, 1, "staging", Samples.NYC, ""));

        assertRefusal(answer, RefusalCode.WRONG_CLUSTER, "cluster 'georep', the dialer belongs to cluster 'staging'");
    }

    @Test
    void refusesVersionsItDoesNotSpeak() {
        Handshake answer = answer(new Handshake.Hello(7, 9, "georep", Samples.NYC, ""));

        assertRefusal(answer, RefusalCode.NO_COMMON_VERSION, "speaks wire versions 1 to 1, nyc-1 speaks 7 to 9");
    }

    @Test
    void refusesDialerThatExpectsSomebodyElse() {
        Handshake answer = answer(new Handshake.Hello(1, 1, "georep", Samples.NYC, "sfo-1"));

        assertRefusal(answer, RefusalCode.WRONG_PEER, "is ams-1, the dialer expects sfo-1");
    }

    @Test
    void refusesItself() {
        Handshake answer = answer(new Handshake.Hello(1, 1, "georep", Samples.AMS, ""));

        assertRefusal(answer, RefusalCode.SELF, "reached itself");
    }

    @Test
    void refusesAnotherProcessWithItsOwnId() {
        Handshake answer = answer(new Handshake.Hello(1, 1, "georep", identity("ams-1", 99), ""));

        assertRefusal(answer, RefusalCode.ID_IN_USE, "ams-1.example:7400 and by another one at elsewhere:7400");
    }

    @Test
    void refusesBootThatTheProtocolRefused() {
        admission.refuse(Samples.NYC, "two processes with this id");

        Handshake answer = answer(Samples.hello());

        assertRefusal(answer, RefusalCode.REFUSED, "two processes with this id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n\r\n", "GEOX", "x", "\u0016\u0003\u0001\u0002", "SSH-2.0-OpenSSH"})
    void closesOnStrangersWithoutAnAnswer(String words) {
        feed(words.repeat(3).getBytes(StandardCharsets.ISO_8859_1));

        assertThat(channel.isOpen()).isFalse();
        assertThat(Samples.written(channel)).isEmpty();
        assertThat(counters.refusalsSent.sum()).isEqualTo(1);
    }

    @Test
    void closesOnHandshakeThatClaimsToBeLarge() {
        feed(HexFormat.of().parseHex("47454f5201ffff"));

        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void closesOnDamagedHandshake() {
        byte[] bytes = HandshakeFormat.encode(Samples.hello());
        bytes[20] ^= 1;

        feed(bytes);

        assertThat(channel.isOpen()).isFalse();
        assertThat(Samples.written(channel)).isEmpty();
    }

    @Test
    void closesOnAnAnswerNobodyAskedFor() {
        feed(HandshakeFormat.encode(new Handshake.Accept(1, Samples.NYC)));

        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void closesOnSilence() {
        channel.freezeTime();
        feed(new byte[] {'G', 'E'});

        channel.advanceTimeBy(4, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).isTrue();
        channel.advanceTimeBy(2, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();

        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void oneOfThoseWhoWaitMakesRoomForTheNext() {
        List<EmbeddedChannel> others = new ArrayList<>(List.of(channel));
        for (int i = 0; i < Newcomers.ADDRESS_MAX - 1; i++) {
            others.add(new EmbeddedChannel(new HandshakeDecoder(), new AcceptHandshake(around)));
        }
        assertThat(others).allMatch(EmbeddedChannel::isOpen);
        EmbeddedChannel next = new EmbeddedChannel(new HandshakeDecoder(), new AcceptHandshake(around));

        assertThat(next.isOpen()).isTrue();
        assertThat(others).filteredOn(other -> !other.isOpen()).hasSize(1);
        others.add(next);
        assertThat(counters.refusalsSent.sum()).isEqualTo(1);
        assertThat(around.newcomers().size()).isEqualTo(Newcomers.ADDRESS_MAX);
        others.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    @Test
    void whoHasSaidWhoItIsNeedsNoMoreRoom() {
        answer(Samples.hello());

        assertThat(around.newcomers().size()).isZero();
        assertThat(channel.isOpen()).isTrue();
    }
}
