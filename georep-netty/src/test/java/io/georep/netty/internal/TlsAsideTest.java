package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.netty.Authority;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Strangers may begin handshakes as often as they like, and what these cost does not hold up the links. */
@Timeout(60)
class TlsAsideTest {
    private static final NodeId SELF = NodeId.of("ams-1");
    private static final Authority AUTHORITY = new Authority("tests");

    @TempDir
    Path directory;

    private TlsSecurity security() throws Exception {
        Authority.write(
                directory,
                AUTHORITY.sign(builder -> builder.addSanUriName(URI.create("georep:georep/ams-1"))),
                AUTHORITY);
        TlsSource source = new TlsSource.PemFiles(
                directory.resolve("key.pem"), null, directory.resolve("node.pem"), directory.resolve("trusted.pem"));
        return TlsSecurity.open(new TlsSetup(source, null, null, null, 0, false), "georep", SELF, 10_000);
    }

    private static EmbeddedChannel channel(TlsSecurity security, ChannelSecurity.Side side) {
        EmbeddedChannel channel = new EmbeddedChannel();
        security.protect(channel.pipeline(), side);
        channel.pipeline().fireChannelActive();
        return channel;
    }

    @Test
    void theEventLoopDoesNotComputeHandshakesOfOthers() throws Exception {
        TlsSecurity security = security();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        security.handshakes().execute(() -> {
            try {
                busy.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        EmbeddedChannel stranger = channel(security, ChannelSecurity.Side.DIALER);
        EmbeddedChannel accepted = channel(security, ChannelSecurity.Side.ACCEPTOR);
        Object hello = stranger.readOutbound();

        accepted.writeInbound(hello);

        Object early = accepted.readOutbound();
        assertThat(early).isNull();
        security.handshakes().execute(done::countDown);
        busy.countDown();
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        accepted.runPendingTasks();
        Object answer = accepted.readOutbound();
        assertThat(answer).isNotNull();
        stranger.finishAndReleaseAll();
        accepted.finishAndReleaseAll();
        security.close();
    }
}
