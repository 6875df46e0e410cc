package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.PeerStatus;
import io.georep.model.Durability;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Three real nodes with messages that they have acknowledged and not yet forwarded, and somebody who reaches their ports. */
final class UnderAttack implements AutoCloseable {
    static final Duration LONG = Duration.ofSeconds(60);
    static final int MESSAGES = 60;
    static final String AMS = "ams-1";
    static final String NYC = "nyc-1";
    static final String SFO = "sfo-1";

    private static final String ANOTHER_NODE = "another node";
    private static final Authority OURS = new Authority("ours");
    private static final Authority THEIRS = new Authority("theirs");
    private static final SharedSecret SECRET = SharedSecret.of(WireWords.ascii("known to the nodes alone"));

    /** What keeps strangers off the nodes. */
    enum Protection {
        NOTHING,
        SECRET,
        /** With the JVM's own implementation. */
        TLS,
        /** TLS with the other implementation. */
        OPENSSL;

        boolean isTls() {
            return this == TLS || this == OPENSSL;
        }
    }

    /** How a stranger comes to where he can say something. */
    @FunctionalInterface
    interface Disguise {
        Socket on(Socket connected) throws Exception;
    }

    final Map<String, GeoRepNode> nodes = new TreeMap<>();
    final Map<String, NettyTransport> transports = new TreeMap<>();
    final List<EntryId> acknowledged = new ArrayList<>();
    final CapturedLog log = new CapturedLog("io.georep.netty.internal.LinkLayer", "io.georep.changes");
    private final Protection protection;
    private final Duration handshakeTimeout;
    private final ConcurrentLinkedQueue<EntryId> forwarded = new ConcurrentLinkedQueue<>();
    private final Map<String, Outbox<String>> outboxes = new TreeMap<>();
    private final Set<String> limited = new TreeSet<>();

    UnderAttack(Protection protection) {
        this(protection, Duration.ofSeconds(10));
    }

    UnderAttack(Protection protection, Duration handshakeTimeout) {
        this.protection = protection;
        this.handshakeTimeout = handshakeTimeout;
    }

    Protection protection() {
        return protection;
    }

    UnderAttack start() {
        return start(0, null);
    }

    /** Starts the nodes; nyc-1 listens on this port, and the others dial it at this address. */
    UnderAttack start(int nycPort, @Nullable String nycAddress) {
        start(NYC, nycPort, nycAddress);
        String seed = nodes.get(NYC).identity().address();
        start(AMS, 0, null, seed);
        start(SFO, 0, null, seed);
        await().atMost(LONG).until(() -> nodes.values().stream().allMatch(node -> node.ready(2)));
        nodes.forEach((name, node) -> outboxes.put(name, node.outbox("mail", String.class, options -> options.f(1))));
        send(MESSAGES);
        return this;
    }

    private void start(String name, int port, @Nullable String advertised, String... seeds) {
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId(name)
                .cluster(WireWords.CLUSTER)
                .listen("127.0.0.1", port)
                .seeds(seeds)
                .durability(Durability.MEMORY)
                .transport(settings -> {
                    NettyTransportFactory factory = new NettyTransportFactory(links -> protect(links, name));
                    NettyTransport made = (NettyTransport) factory.create(settings);
                    transports.put(name, made);
                    return made;
                });
        if (advertised != null) {
            builder.advertise(advertised);
        }
        nodes.put(name, builder.start());
    }

    private void protect(NettyTransportConfig.Builder links, String name) {
        links.reconnectDelayMin(Duration.ofMillis(20))
                .reconnectDelayMax(Duration.ofMillis(100))
                .handshakeTimeout(handshakeTimeout);
        if (protection == Protection.SECRET) {
            links.secret(SECRET);
        } else if (protection.isTls()) {
            String scheme = limited.contains(name) ? "georep-limited:" : "georep:";
            links.tls(Authority.tls(OURS.sign(scheme + WireWords.CLUSTER + "/" + name), OURS)
                    .openSsl(protection == Protection.OPENSSL)
                    .build());
        }
    }

    /** Starts a node that may not decide over others. */
    GeoRepNode startLimited(String name) {
        limited.add(name);
        start(name, 0, null, addressOf(NYC));
        return nodes.get(name);
    }

    /** Comes with a certificate of the cluster's authority. */
    static Disguise certified(String uri) {
        return certified(signed(uri));
    }

    /** Answers a dialer with a certificate of the cluster's authority. */
    static Socket answering(Socket accepted, X509Bundle own) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(Authority.keys(own).getKeyManagers(), Authority.trust(OURS).getTrustManagers(), null);
        SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(accepted, null, accepted.getPort(), true);
        socket.setUseClientMode(false);
        return socket;
    }

    /** A certificate of the cluster's authority. */
    static X509Bundle signed(String uri) {
        return OURS.sign(uri);
    }

    /** Comes with this certificate. */
    static Disguise certified(X509Bundle own) {
        return socket -> tls(socket, own);
    }

    private static X509Bundle certificate(Authority signer, String cluster, String name) {
        return signer.sign("georep:" + cluster + "/" + name);
    }

    /** Sends to ams-1, and waits until all of it is acknowledged. */
    void send(int count) {
        List<CompletableFuture<EntryId>> sends = IntStream.range(0, count)
                .mapToObj(i -> outboxes.get(AMS).send("payload " + i).toCompletableFuture())
                .toList();
        sends.forEach(send -> acknowledged.add(
                send.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join()));
    }

    /** What ams-1 has acknowledged, as a stranger names it who knows everything but the key. */
    WireWords.Entries entries() {
        EntryId first = acknowledged.get(0);
        return new WireWords.Entries(AMS, first.stream().boot(), first.stream().lane(), "mail", acknowledged.size());
    }

    static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    /** All that somebody can do who has not the key: by name. */
    Map<String, Disguise> disguises() {
        Map<String, Disguise> all = new LinkedHashMap<>();
        all.put("plain TCP", socket -> socket);
        if (protection == Protection.SECRET) {
            all.put("a guess at the secret", socket -> {
                socket.getOutputStream().write(WireWords.join(WireWords.preamble(1, 1), WireWords.preamble(3, 2)));
                return socket;
            });
        } else if (protection.isTls()) {
            all.put("no certificate", socket -> tls(socket, null));
            all.put("another authority", socket -> tls(socket, certificate(THEIRS, WireWords.CLUSTER, "printer")));
            all.put("another cluster", socket -> tls(socket, certificate(OURS, "staging", "printer")));
            all.put(ANOTHER_NODE, socket -> tls(socket, certificate(OURS, WireWords.CLUSTER, "printer")));
        }
        return all;
    }

    private static Socket tls(Socket socket, @Nullable X509Bundle own) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                own == null ? null : Authority.keys(own).getKeyManagers(),
                Authority.trust(OURS, THEIRS).getTrustManagers(),
                null);
        return context.getSocketFactory().createSocket(socket, "localhost", socket.getPort(), true);
    }

    /** Says this to a node in each disguise. He is told nothing that he has not said himself. */
    void attack(String victim, byte[] words) throws Exception {
        for (Map.Entry<String, Disguise> disguise : disguises().entrySet()) {
            // His own certificate may name the cluster.
            String said = new String(words, StandardCharsets.ISO_8859_1)
                    + (disguise.getKey().equals(ANOTHER_NODE) ? WireWords.CLUSTER : "");
            long before = turnedAway(victim);
            Answer answer = say(victim, disguise.getValue(), words);
            String attempt = disguise.getKey() + " to " + victim;
            assertTellsNothing(attempt, answer.text(), said);
            await(attempt + " is counted").atMost(LONG).until(() -> turnedAway(victim) > before);
            await(attempt + " is logged with its address")
                    .atMost(LONG)
                    .until(() -> log.text().contains("127.0.0.1:" + answer.port()));
        }
    }

    private static void assertTellsNothing(String attempt, String answer, String said) {
        for (String secret : List.of(AMS, NYC, SFO, WireWords.CLUSTER, "127.0.0.1:")) {
            if (!said.contains(secret)) {
                assertThat(answer).as(attempt).doesNotContain(secret);
            }
        }
    }

    long turnedAway(String victim) {
        return transports.get(victim).counters().refusalsSent();
    }

    /** What a node said to somebody before it closed the connection, as far as he could read it. */
    record Answer(String text, int port) {}

    Answer say(String victim, Disguise disguise, byte[] words) throws Exception {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (Socket plain = connect(victim)) {
            try {
                Socket socket = disguise.on(plain);
                socket.getOutputStream().write(words);
                socket.getInputStream().transferTo(answer);
            } catch (IOException e) {
                // It was closed with words unread, or with an alert.
            }
            return new Answer(answer.toString(StandardCharsets.ISO_8859_1), plain.getLocalPort());
        }
    }

    /** Says this to a node that believes everybody, and goes. */
    void tell(String victim, byte[] words) throws IOException {
        try (Socket socket = connect(victim)) {
            socket.getOutputStream().write(words);
            socket.shutdownOutput();
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        }
    }

    Socket connect(String victim) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(addressOf(victim)));
        socket.setSoTimeout(20_000);
        return socket;
    }

    String addressOf(String node) {
        return nodes.get(node).identity().address();
    }

    long held() {
        return activity(AMS).backlog("mail");
    }

    /** Entries of which others told it, without standing, that they are over. */
    long endsRefused() {
        return activity(AMS).protocol().endsRefused();
    }

    long copies() {
        return nodes.keySet().stream()
                .mapToLong(name -> activity(name).protocol().copies())
                .sum();
    }

    private OutboxActivity activity(String name) {
        return nodes.get(name).statistics().of(OutboxActivity.class);
    }

    /** Each node knows the two others, as live ones, and nobody else. */
    private void assertNobodyElseIsThere() {
        nodes.forEach((name, node) -> assertThat(node.peers())
                .as("peers of " + name)
                .hasSize(2)
                .allMatch(peer -> peer.state() == PeerState.ACTIVE && !peer.drained())
                .extracting(PeerStatus::id)
                .extracting(Object::toString)
                .isSubsetOf(AMS, NYC, SFO));
    }

    /** Nothing happened to nodes and messages: all of them are there. */
    void assertUnharmed() {
        assertNobodyElseIsThere();
        assertThat(held()).isEqualTo(acknowledged.size());
        assertThat(copies()).isEqualTo(acknowledged.size());
    }

    void assertEachMessageIsForwardedOnce() {
        send(5);
        forwardAll();
        assertThat(forwarded).containsExactlyInAnyOrderElementsOf(acknowledged);
    }

    /** The same beside messages of others, which may be there as well. */
    void assertEachOfOursIsForwardedOnce() {
        send(5);
        forward();
        await().atMost(LONG).until(() -> Set.copyOf(forwarded).containsAll(acknowledged));
        assertThat(forwarded.stream().filter(id -> id.stream().origin().equals(NodeId.of(AMS))))
                .containsExactlyInAnyOrderElementsOf(acknowledged);
    }

    private void forward() {
        outboxes.values()
                .forEach(outbox -> outbox.forward((Delivery<String> delivery) -> forwarded.add(delivery.id())));
    }

    /** Forwards what there is, wherever it is, until nobody holds or keeps anything. */
    private void forwardAll() {
        forward();
        await().atMost(LONG)
                .until(() -> copies() == 0
                        && nodes.keySet().stream()
                                .allMatch(name -> activity(name).backlog("mail") == 0));
    }

    @Override
    public void close() {
        nodes.values().forEach(GeoRepNode::halt);
        log.close();
    }
}
