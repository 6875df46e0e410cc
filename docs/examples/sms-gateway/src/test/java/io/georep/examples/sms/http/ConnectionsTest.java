package io.georep.examples.sms.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ConnectionsTest {
    private static final Duration WITHIN = Duration.ofSeconds(10);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10);
    private final RandomGenerator random =
            RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    private final Connections connections = new Connections(100, 3, WITHIN, now::get, random);
    private final List<SocketChannel> clients = new ArrayList<>();
    private ServerSocketChannel server;

    @BeforeEach
    void listen() throws IOException {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        for (SocketChannel client : clients) {
            client.close();
        }
    }

    private SocketChannel connected() throws IOException {
        clients.add(SocketChannel.open(server.getLocalAddress()));
        return server.accept();
    }

    private SocketChannel busy() throws IOException {
        SocketChannel channel = connected();
        assertThat(connections.accept(channel)).isTrue();
        connections.heard((InetSocketAddress) channel.getRemoteAddress());
        connections.whole((InetSocketAddress) channel.getRemoteAddress());
        return channel;
    }

    private static boolean isOver(SocketChannel channel) {
        return channel.socket().isOutputShutdown();
    }

    @Test
    void anAddressHasALimitAndWhatIsOverMakesRoom() throws IOException {
        SocketChannel first = busy();
        busy();
        busy();
        assertThat(connections.accept(connected())).isFalse();

        first.close();

        assertThat(connections.accept(connected())).isTrue();
        assertThat(connections.size()).isEqualTo(3);
    }

    /** Were it the new one that has to go, strangers behind a client's address would keep it out. */
    @Test
    void oneOfTheAddressThatOwesARequestGivesWay() throws IOException {
        SocketChannel busy = busy();
        SocketChannel owing = connected();
        connections.accept(owing);
        busy();

        SocketChannel late = connected();
        assertThat(connections.accept(late)).isTrue();

        assertThat(isOver(owing)).isTrue();
        assertThat(isOver(busy)).isFalse();
        assertThat(isOver(late)).isFalse();
        assertThat(connections.size()).isEqualTo(3);
    }

    @Test
    void oneOfAllThatOweARequestGivesWay() throws IOException {
        Connections few = new Connections(2, 100, WITHIN, now::get, random);
        List<SocketChannel> accepted = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            accepted.add(connected());
            assertThat(few.accept(accepted.get(i))).isTrue();
        }

        assertThat(accepted.stream().filter(ConnectionsTest::isOver)).hasSize(3);
        assertThat(few.size()).isEqualTo(2);
    }

    @Test
    void whoSendsNoHeaderInTimeIsDisconnected() throws IOException {
        SocketChannel silent = connected();
        SocketChannel heard = connected();
        connections.accept(silent);
        connections.accept(heard);
        connections.heard((InetSocketAddress) heard.getRemoteAddress());

        now.addAndGet(WITHIN.toNanos() - 1);
        connections.sweep();
        assertThat(silent.socket().isOutputShutdown()).isFalse();
        now.addAndGet(1);
        connections.sweep();

        assertThat(silent.socket().isOutputShutdown()).isTrue();
        assertThat(heard.socket().isOutputShutdown()).isFalse();
    }

    @Test
    void theNextHeaderOfAConnectionHasADeadlineOfItsOwn() throws IOException {
        SocketChannel kept = connected();
        InetSocketAddress client = (InetSocketAddress) kept.getRemoteAddress();
        connections.accept(kept);
        connections.heard(client);
        now.addAndGet(WITHIN.toNanos() * 3);
        connections.answered(client);

        now.addAndGet(WITHIN.toNanos() - 1);
        connections.sweep();
        assertThat(kept.socket().isOutputShutdown()).isFalse();
        now.addAndGet(1);
        connections.sweep();

        assertThat(kept.socket().isOutputShutdown()).isTrue();
    }

    /** What throws is not called again by whoever calls it each second. */
    @Test
    void theDeadlineHoldsAfterMemoryWasShort() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        Connections poor = new Connections(
                100,
                3,
                WITHIN,
                () -> switch (looks.getAndIncrement()) {
                    case 0 -> 0;
                    case 1 -> throw new OutOfMemoryError("Java heap space");
                    default -> WITHIN.toNanos();
                },
                random);
        SocketChannel late = connected();
        assertThat(poor.accept(late)).isTrue();
        ScheduledExecutorService sweeper = new HttpConfiguration().httpSweeper(poor);

        Await.until("it to be disconnected", () -> isOver(late));

        sweeper.shutdownNow();
    }
}
