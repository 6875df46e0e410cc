package io.georep.netty.internal.dial;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.netty.internal.Samples;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeDecoder;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DialHandshakeTest implements DialHandshake.Outcome {
    private final List<String> outcomes = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel(
            new HandshakeDecoder(), new DialHandshake(Samples.hello(), ChannelSecurity.PLAIN, 5000, this));

    @Override
    public void accepted(Channel accepted, Handshake.Accept accept) {
        outcomes.add("accepted by " + accept.identity().id());
    }

    @Override
    public void refused(RefusalCode code, String reason) {
        outcomes.add("refused " + code + " " + reason);
    }

    @Override
    public void distrusted(String reason) {
        outcomes.add("distrusted " + reason);
    }

    @Override
    public void failed(String reason) {
        outcomes.add("failed " + reason);
    }

    @AfterEach
    void nothingIsLeft() {
        channel.finishAndReleaseAll();
        channel.checkException();
    }

    private void answer(Handshake message) {
        channel.writeInbound(Unpooled.wrappedBuffer(HandshakeFormat.encode(message)));
    }

    @Test
    void saysHelloAndReportsWhoAnswered() {
        assertThat(HandshakeFormat.decode(Samples.written(channel))).isEqualTo(Samples.hello());

        answer(new Handshake.Accept(1, Samples.AMS));

        assertThat(outcomes).containsExactly("accepted by ams-1");
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void reportsRefusal() {
        answer(new Handshake.Refuse(RefusalCode.WRONG_CLUSTER, "not yours"));

        assertThat(channel.isOpen()).isFalse();
        assertThat(outcomes).containsExactly("refused WRONG_CLUSTER not yours");
    }

    @Test
    void versionThatWasNotOfferedIsAFailure() {
        answer(new Handshake.Accept(2, Samples.AMS));

        assertThat(channel.isOpen()).isFalse();
        assertThat(outcomes).singleElement().asString().startsWith("failed").contains("version 2");
    }

    @Test
    void strangerIsAFailure() {
        channel.writeInbound(Unpooled.copiedBuffer("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes()));

        assertThat(channel.isOpen()).isFalse();
        assertThat(outcomes).singleElement().asString().startsWith("failed").contains("HTTP");
    }

    @Test
    void handshakeInsteadOfAnAnswerIsAFailure() {
        answer(Samples.hello());

        assertThat(outcomes).singleElement().asString().startsWith("failed");
    }

    @Test
    void closedConnectionIsAFailure() {
        channel.close();

        assertThat(outcomes).singleElement().asString().startsWith("failed").contains("closed during the handshake");
    }

    @Test
    void silenceIsAFailure() {
        EmbeddedChannel silent = new EmbeddedChannel();
        silent.freezeTime();
        silent.pipeline()
                .addLast(new HandshakeDecoder(), new DialHandshake(Samples.hello(), ChannelSecurity.PLAIN, 5000, this));
        silent.pipeline().fireChannelActive();

        silent.advanceTimeBy(6, TimeUnit.SECONDS);
        silent.runScheduledPendingTasks();

        assertThat(outcomes).singleElement().asString().contains("no answer to the handshake within 5000 ms");
        assertThat(silent.isOpen()).isFalse();
        silent.finishAndReleaseAll();
        assertThat(outcomes).hasSize(1);
    }
}
