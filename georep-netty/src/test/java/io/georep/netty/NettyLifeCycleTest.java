package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.NodeIdentity;
import io.georep.model.TransportException;
import io.georep.spi.RecordingListener;
import io.georep.spi.RecordingListener.Event;
import io.georep.spi.Transport;
import io.georep.spi.TransportFactory;
import io.georep.spi.TransportFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Start and end of the Netty transport: where it listens, what it leaves behind, what its listener may do. */
class NettyLifeCycleTest extends TransportFixture {
    private NettyTransportConfig.Builder config = NettyTransportConfig.builder()
            .reconnectDelayMin(Duration.ofMillis(20))
            .reconnectDelayMax(Duration.ofMillis(100));

    @Override
    protected Transport newTransport() {
        return new NettyTransport(config.build());
    }

    private static NettyTransport.Counters counters(Node node) {
        return ((NettyTransport) node.transport()).counters();
    }

    @Test
    void occupiedPortIsNamedWithItsRemedy() {
        Node a = start(A);

        assertThatThrownBy(() -> start(B, a.self().address()))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("cannot listen on " + a.self().address())
                .hasMessageContaining("address already in use")
                .hasMessageContaining("configure another port");
    }

    @Test
    void unknownHostToListenOnIsNamed() {
        assertThatThrownBy(() -> start(B, "no-such-host.invalid:7400"))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("host 'no-such-host.invalid' is not known");
    }

    @Test
    void addressOfAnotherMachineToListenOnIsNamed() {
        config.secret(SharedSecret.of(new byte[16]));

        assertThatThrownBy(() -> start(B, "192.0.2.1:7400"))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("192.0.2.1:7400")
                .hasMessageContaining("no interface of this machine has it");
    }

    @Test
    void failedStartLeavesNoThreads() {
        Node a = start(A);
        Set<String> before = threads();

        assertThatThrownBy(() -> start(B, a.self().address())).isInstanceOf(TransportException.class);

        await("the threads to end", () -> before.containsAll(threads()));
    }

    @Test
    void closeLeavesNoThreads() {
        Set<String> before = threads();
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        a.transport().close();
        b.transport().close();

        await("the threads to end", () -> before.containsAll(threads()));
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("georep-link"))
                .map(thread -> thread.getName() + "@" + thread.getId())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void listensOnAnotherAddressThanPeersAreTold() {
        config.bindAddress("0.0.0.0:0").secret(SharedSecret.of(new byte[16]));
        Node b = start(B, "127.0.0.1:0");
        config.bindAddress(null);
        Node a = start(A);

        link(a, b);

        assertThat(a.heard().events(Event.Up.class).get(0).peer().address())
                .isEqualTo(b.self().address());
    }

    @Test
    void targetsSetBeforeTheStartCount() {
        Node b = start(B);
        NettyTransport early = new NettyTransport(config.build());
        RecordingListener heard = new RecordingListener(monitor);

        early.targets(Map.of(B, b.self().address()), List.of());
        early.start(new NodeIdentity(A, 1, 1, 1, anyAddress(), "site"), heard);

        await("link", () -> heard.isUp(B));
        early.close();
    }

    @Test
    void listenerThatThrowsDoesNotBreakTheLink() {
        Node b = start(B);
        NettyTransport a = new NettyTransport(config.build());
        RecordingListener heard = new RecordingListener(monitor) {
            @Override
            public void linkUp(NodeIdentity peer) {
                super.linkUp(peer);
                throw new IllegalStateException("for the test");
            }
        };

        a.start(new NodeIdentity(A, 1, 1, 1, anyAddress(), "site"), heard);
        a.targets(Map.of(B, b.self().address()), List.of());
        await("link", () -> heard.isUp(B));
        a.send(B, number(1), false);

        await("frame", () -> b.heard().frames().size() == 1);
        a.close();
    }

    @Test
    void listenerMayCloseTheTransport() {
        Node b = start(B);
        NettyTransport a = new NettyTransport(config.build());
        RecordingListener heard = new RecordingListener(monitor) {
            @Override
            public void linkUp(NodeIdentity peer) {
                super.linkUp(peer);
                a.close();
            }
        };

        a.start(new NodeIdentity(A, 1, 1, 1, anyAddress(), "site"), heard);
        a.targets(Map.of(B, b.self().address()), List.of());

        await("link up", () -> heard.ups(B) == 1);
        await("incoming link gone", () -> counters(b).linksIn() == 0);
    }

    /** So a node knows that what others have sent may wait unread, although it has turns itself. */
    @Test
    void aTransportWhoseThreadStandsStillDoesNotComeRound() {
        Node a = start(A);
        CountDownLatch goesOn = new CountDownLatch(1);
        RecordingListener heard = new RecordingListener(monitor) {
            @Override
            public void strangerFrame(NodeIdentity from, int channel, byte[] frame) {
                super.strangerFrame(from, channel, frame);
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        NettyTransport b = new NettyTransport(config.build());
        String address = b.start(new NodeIdentity(B, 1, 1, 1, anyAddress(), "site"), heard);
        assertThat(b.goRound(1)).isTrue();
        await("the first time", () -> heard.has(Event.CameRound.class, round -> round.stamp() == 1));
        a.transport().openLink(1, 9, address);
        await("the link", () -> a.heard().has(Event.Opened.class, up -> up.link() == 1));
        a.transport().sendOver(1, number(1));
        await("a frame", () -> heard.events(Event.StrangerFrame.class).size() == 1);

        b.goRound(2);
        assertThat(heard.events(Event.CameRound.class)).hasSize(1);

        goesOn.countDown();
        await("the second time", () -> heard.has(Event.CameRound.class, round -> round.stamp() == 2));
        b.close();
    }

    @Test
    void factoryListensWhereItsSettingsSay() {
        TransportFactory.Settings settings = new TransportFactory.Settings("georep", A, "127.0.0.1", 0, null, 1 << 20);
        Transport made = new NettyTransportFactory().create(settings);

        String address =
                made.start(new NodeIdentity(A, 1, 1, 1, "localhost:0", "site"), new RecordingListener(monitor));

        assertThat(address).startsWith("localhost:").doesNotEndWith(":0");
        made.close();
    }

    @Test
    void startsOnce() {
        Node a = start(A);

        assertThatThrownBy(() -> a.transport().start(a.self(), a.heard()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("starts once");
    }
}
