package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.georep.model.NodeId;
import io.georep.netty.Authority;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.security.TlsSecurity;
import io.georep.netty.internal.security.TlsSetup;
import io.georep.netty.internal.security.TlsSource;
import io.georep.netty.internal.wire.DistrustException;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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
        return protect(new EmbeddedChannel(), security, side);
    }

    private static EmbeddedChannel protect(EmbeddedChannel channel, TlsSecurity security, ChannelSecurity.Side side) {
        security.protect(channel.pipeline(), side);
        channel.pipeline().fireChannelActive();
        return channel;
    }

    /** Nothing is computed before this. */
    private static void keepBusy(TlsSecurity security, CountDownLatch until) {
        security.handshakes().execute(() -> {
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    void theEventLoopDoesNotComputeHandshakesOfOthers() throws Exception {
        TlsSecurity security = security();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        keepBusy(security, busy);
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
        ReferenceCountUtil.release(answer);
        stranger.finishAndReleaseAll();
        accepted.finishAndReleaseAll();
        security.close();
    }

    /** It would be kept, however much it is, until its turn comes. */
    @Test
    void whatAStrangerSendsWhileItWaitsIsBounded() throws Exception {
        TlsSecurity security = security();
        CountDownLatch busy = new CountDownLatch(1);
        keepBusy(security, busy);
        EmbeddedChannel stranger = channel(security, ChannelSecurity.Side.DIALER);
        EmbeddedChannel accepted = channel(security, ChannelSecurity.Side.ACCEPTOR);
        Object hello = stranger.readOutbound();
        accepted.writeInbound(hello);

        assertThatExceptionOfType(DistrustException.class)
                .isThrownBy(() -> {
                    for (int i = 0; i < 100; i++) {
                        accepted.writeInbound(Unpooled.wrappedBuffer(new byte[10_000]));
                    }
                })
                .withMessageContaining("more than 65536 bytes");

        accepted.finishAndReleaseAll();
        busy.countDown();
        stranger.finishAndReleaseAll();
        security.close();
    }

    /** A node that joins would come after all of them. */
    @Test
    void handshakesOfACrowdOfStrangersDoNotComeBeforeThatOfANodeElsewhere() throws Exception {
        TlsSecurity security = security();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        keepBusy(security, busy);
        Queue<String> order = new ConcurrentLinkedQueue<>();
        List<EmbeddedChannel> all = new ArrayList<>();
        for (int i = 0; i <= 20; i++) {
            EmbeddedChannel dialer = channel(security, ChannelSecurity.Side.DIALER);
            EmbeddedChannel accepted = protect(
                    new From(i < 20 ? "192.0.2.1" : "192.0.2.2", order), security, ChannelSecurity.Side.ACCEPTOR);
            Object hello = dialer.readOutbound();
            accepted.writeInbound(hello);
            all.add(dialer);
            all.add(accepted);
        }

        security.handshakes().execute(done::countDown);
        busy.countDown();
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();

        assertThat(List.copyOf(order).indexOf("192.0.2.2")).isBetween(0, 1);
        all.forEach(EmbeddedChannel::finishAndReleaseAll);
        security.close();
    }

    /** A channel that notes when work is done for it. */
    private static final class From extends EmbeddedChannel {
        private final String address;
        private final Queue<String> order;

        From(String address, Queue<String> order) {
            this.address = address;
            this.order = order;
        }

        @Override
        protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(address, 1);
        }

        @Override
        public boolean isOpen() {
            if (Thread.currentThread().getName().startsWith("georep-tls-")) {
                order.add(address);
            }
            return super.isOpen();
        }
    }
}
