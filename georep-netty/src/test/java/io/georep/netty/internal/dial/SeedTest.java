package io.georep.netty.internal.dial;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.FreePort;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.LinkLayer;
import io.georep.netty.internal.Samples;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.spi.RecordingListener;
import io.georep.spi.RecordingListener.Event;
import io.georep.spi.Transport;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Names that stand for several addresses, that lead elsewhere the next time, or that nobody answers for. */
class SeedTest {
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private final Object monitor = new Object();
    private final List<LinkLayer> layers = new ArrayList<>();
    private int port;

    private record Node(NodeIdentity self, LinkLayer layer, RecordingListener heard, LinkCounters counters) {
        boolean isLinkedTo(Node peer) {
            return heard.isUp(peer.self.id());
        }
    }

    @BeforeEach
    void choosePort() throws IOException {
        port = FreePort.find();
    }

    @AfterEach
    void close() {
        layers.forEach(LinkLayer::close);
    }

    /** Address of the node with this number; all have one port, like the pods of a service. */
    private static InetAddress host(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) number});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private Node start(int number, Addresses.Lookup lookup) {
        NodeIdentity self = new NodeIdentity(
                NodeId.of("n" + number), 1, 7, 1000 + number, host(number).getHostAddress() + ":" + port, "");
        RecordingListener heard = new RecordingListener(monitor);
        LinkCounters counters = new LinkCounters();
        LinkLayer layer = LinkLayer.start(self, Samples.settings(), counters, heard, lookup);
        layers.add(layer);
        return new Node(self, layer, heard, counters);
    }

    private void seed(Node node) {
        node.layer.targets(Map.of(), List.of("cluster.test:" + port));
    }

    private void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        synchronized (monitor) {
            while (!condition.getAsBoolean()) {
                assertThat(System.nanoTime()).as("in time: " + what).isLessThan(deadline);
                monitor.wait(20);
            }
        }
    }

    /** A service without an address of its own: its name stands for all its nodes, each of which finds itself first. */
    @Test
    void allAddressesOfANameAreDialledAlsoWhenTheFirstIsThisNode() throws InterruptedException {
        List<Node> nodes = new ArrayList<>();
        for (int own = 1; own <= 4; own++) {
            InetAddress[] ownFirst = {host(own), host(own % 4 + 1), host((own + 1) % 4 + 1), host((own + 2) % 4 + 1)};
            nodes.add(start(own, name -> ownFirst));
        }

        nodes.forEach(this::seed);

        for (Node node : nodes) {
            for (Node peer : nodes) {
                await(node.self.id() + " linked to " + peer.self.id(), () -> node == peer || node.isLinkedTo(peer));
            }
        }
    }

    /** A cluster is not settled before all behind its seeds were met (M30): one that answers does not speak for the others. */
    @Test
    void aSeedIsReachedWhenAllItsAddressesAre() throws InterruptedException {
        Node first = start(1, name -> new InetAddress[] {host(1), host(2), host(3)});
        Node second = start(2, InetAddress::getAllByName);
        seed(first);
        await("linked", () -> first.isLinkedTo(second));
        assertThat(first.heard.events(Event.SeedReached.class)).isEmpty();

        Node third = start(3, InetAddress::getAllByName);

        await("linked to the last", () -> first.isLinkedTo(third));
        await("reached", () -> !first.heard.events(Event.SeedReached.class).isEmpty());
        assertThat(first.heard.events(Event.SeedReached.class))
                .containsExactly(new Event.SeedReached("cluster.test:" + port));
    }

    /** Names come up one by one: at first this node is alone behind its own. */
    @Test
    void aNameThatLedToThisNodeMayLeadToAnotherNextTime() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        Node second = start(2, InetAddress::getAllByName);
        Node first = start(1, name -> new InetAddress[] {host(asked.incrementAndGet() <= 3 ? 1 : 2)});

        seed(first);

        await("linked", () -> first.isLinkedTo(second));
        assertThat(first.counters.refusalsReceived.sum()).isBetween(1L, 3L);
    }

    /** What a listener throws is its own fault, but a link it does not know of would stay unused for ever. */
    @Test
    void aListenerThatThrewIsToldAgainInOrder() throws InterruptedException {
        AtomicInteger thrown = new AtomicInteger(3);
        RecordingListener heard = new RecordingListener(monitor);
        Node second = start(2, InetAddress::getAllByName);
        NodeIdentity self = new NodeIdentity(NodeId.of("n1"), 1, 7, 1001, host(1).getHostAddress() + ":" + port, "");
        LinkLayer layer = LinkLayer.start(self, Samples.settings(), new LinkCounters(), (Transport.Listener)
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {Transport.Listener.class},
                        (proxy, method, args) -> {
                            if (thrown.getAndDecrement() > 0) {
                                throw new OutOfMemoryError("for the test");
                            }
                            return method.invoke(heard, args);
                        }));
        layers.add(layer);

        layer.targets(Map.of(second.self.id(), second.self.address()), List.of());
        await("linked", () -> heard.isUp(second.self.id()));
        thrown.set(2);
        second.layer.close();
        await("told of the end", () -> heard.downs(second.self.id()) == 1);

        assertThat(heard.ups(second.self.id())).isEqualTo(1);
    }

    /** Ten thousand names of pods that are gone: nobody who is there waits for them, and the network does not notice. */
    @Test
    void theDeadAreDialledSlowlyAndTheLivingAtOnce() throws InterruptedException {
        Node first = start(1, InetAddress::getAllByName);
        Map<NodeId, String> dead = new TreeMap<>();
        for (int i = 0; i < 2000; i++) {
            dead.put(NodeId.of("dead-" + i), "127.0.1.200:1");
        }
        first.layer.targets(dead, List.of());
        await("each was tried", () -> first.counters.dialsFailed.sum() >= 2000);
        long since = System.nanoTime();
        long before = first.counters.dialsFailed.sum();

        Node second = start(2, InetAddress::getAllByName);
        dead.put(second.self.id(), second.self.address());
        first.layer.targets(dead, List.of());
        await("linked", () -> first.isLinkedTo(second));
        assertThat(first.counters.dialsFailed.sum() - before)
                .as("attempts at the dead before the one at the living")
                .isLessThan(dead.size() / 8);
        await("more were tried", () -> first.counters.dialsFailed.sum() >= before + 50);

        long attempts = first.counters.dialsFailed.sum() - before;
        long pauses = (System.nanoTime() - since) / DialTurns.REPEATED_PAUSE_NANOS;
        assertThat(attempts).isLessThanOrEqualTo(pauses + 2);
    }

    /** The last frame of a link may say why it ends. */
    @Test
    void aLinkThatIsNotWantedAnyMoreEndsAfterWhatIsQueued() throws InterruptedException {
        Node first = start(1, InetAddress::getAllByName);
        Node second = start(2, InetAddress::getAllByName);
        first.layer.targets(Map.of(second.self.id(), second.self.address()), List.of());
        await("linked", () -> first.isLinkedTo(second));

        for (int i = 0; i < 8; i++) {
            first.layer.send(new Transport.Outgoing(second.self.id(), new byte[1000], false, 2));
        }
        first.layer.targets(Map.of(), List.of());

        await("link down", () -> first.heard.downs(second.self.id()) == 1);
        await("all frames", () -> second.heard.frames().size() == 8);
    }

    @Test
    void aTargetIsFoundAtItsLastGoodAddressWhileTheNameServerIsAway() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        Node first = start(1, name -> {
            if (asked.incrementAndGet() > 1) {
                throw new UnknownHostException(name);
            }
            return new InetAddress[] {host(2)};
        });
        Node second = start(2, InetAddress::getAllByName);
        first.layer.targets(Map.of(second.self.id(), "second.test:" + port), List.of());
        await("linked", () -> first.isLinkedTo(second));

        second.layer.close();
        await("link down", () -> first.heard.downs(second.self.id()) == 1);
        Node again = start(2, InetAddress::getAllByName);

        await("linked again", () -> first.isLinkedTo(again));
        assertThat(asked.get()).isGreaterThan(1);
    }

    @Test
    void aLookupThatBreaksOffIsRepeated() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        Node second = start(2, InetAddress::getAllByName);
        Node first = start(1, name -> {
            if (asked.incrementAndGet() == 1) {
                throw new NoClassDefFoundError("for the test");
            }
            return new InetAddress[] {host(2)};
        });

        first.layer.targets(Map.of(second.self.id(), "second.test:" + port), List.of());

        await("linked", () -> first.isLinkedTo(second));
    }

    @Test
    void aLookupThatHangsHoldsNobodyElseUp() throws InterruptedException {
        CountDownLatch hanging = new CountDownLatch(1);
        Node second = start(2, InetAddress::getAllByName);
        Node first = start(1, name -> {
            if (name.startsWith("hangs")) {
                try {
                    hanging.await();
                } catch (InterruptedException e) {
                    throw new UnknownHostException(name);
                }
            }
            return new InetAddress[] {host(2)};
        });

        first.layer.targets(
                Map.of(second.self.id(), "second.test:" + port),
                List.of("hangs.test:1", "hangs.test:2", "hangs.test:3", "hangs.test:4", "hangs.test:5"));

        await("linked", () -> first.isLinkedTo(second));
        await("the lookup is given up", () -> first.counters.dialsFailed.sum() >= 5);
        hanging.countDown();
    }
}
