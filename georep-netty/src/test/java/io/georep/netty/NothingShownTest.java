package io.georep.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.NodeState;
import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.keys.KeySpace;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.KeySpaces;
import io.georep.model.Durability;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.outbox.Adoption;
import io.georep.outbox.DeadLetters;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import io.georep.outbox.Retry;
import io.georep.outbox.SendOptions;
import io.georep.spi.EncryptionKey;
import io.georep.spi.EncryptionKeys;
import io.georep.spi.PayloadCodec;
import io.georep.testing.LocalViewMaster;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Payloads, texts of headers, producer keys, values of key spaces, keys and values of replicated maps, secrets and encryption keys
 * stay where they belong: each of them holds a mark here, and neither the logs at level TRACE nor anything that can be printed shows it.
 */
@Timeout(60)
class NothingShownTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String PAYLOAD = Marks.text("payload");
    private static final SendOptions OPTIONS =
            SendOptions.defaults().header("trace", Marks.text("header")).producerKey(Marks.text("producer key"));
    private static final byte[] KEY = Arrays.copyOf(Marks.text("encryption key").getBytes(US_ASCII), 32);
    private static final byte[] SECRET = Arrays.copyOf(Marks.text("secret").getBytes(US_ASCII), 32);

    @TempDir
    Path directory;

    private final List<GeoRepNode> nodes = new ArrayList<>();
    private final Marks shown = new Marks();
    private AllLogs logs;

    @BeforeEach
    void listen() {
        logs = new AllLogs();
    }

    @AfterEach
    void stopAndLookForMarks() {
        try {
            for (GeoRepNode node : nodes) {
                shown.look(node);
                shown.look(node.identity());
                if (node.state() == NodeState.RUNNING) {
                    shown.look(node.statistics());
                    shown.look(node.peers());
                }
                node.halt();
            }
        } finally {
            logs.close();
        }
        assertThat(logs.text()).as("so that the test could fail").contains("INFO io.georep.netty");
        shown.look(logs.text());
        assertThat(shown.found()).isEmpty();
    }

    @Test
    void ofAnEntryThatIsForwarded() {
        Outbox<String> outbox = outboxes(pair(), 1).get(0);
        List<String> forwarded = new ArrayList<>();
        outbox.forward(delivery -> {
            look(delivery);
            forwarded.add(delivery.payload());
        });

        shown.look(outbox.send(PAYLOAD, OPTIONS).toCompletableFuture().join());

        await().atMost(LONG).until(() -> forwarded.equals(List.of(PAYLOAD)));
        shown.look(OPTIONS);
        shown.look(OPTIONS.values());
        shown.look(outbox);
        shown.look(outbox.statistics());
    }

    @Test
    void ofAnEntryThatFailsAndBecomesADeadLetter() throws Exception {
        Outbox<String> outbox = outboxes(pair(), 1).get(0);
        outbox.forward(
                delivery -> {
                    look(delivery);
                    throw new IllegalStateException("the operator is down");
                },
                options -> options.retry(Retry.fixed(Duration.ofMillis(1)).attempts(3)));
        outbox.send(PAYLOAD, OPTIONS).toCompletableFuture().join();

        DeadLetters.Page<String> page = await().atMost(LONG)
                .until(
                        () -> answer(outbox.deadLetters().list(null, 10)),
                        found -> !found.letters().isEmpty());

        assertThat(page.letters().get(0).payload()).isEqualTo(PAYLOAD);
        shown.look(page);
        shown.look(answer(outbox.deadLetters().deleteAll()));
        assertThat(logs.text()).contains("DEBUG io.georep.outbox", "the operator is down");
    }

    @Test
    void ofAnEntryThatNobodyCanRead() {
        PayloadCodec<String> codec = new PayloadCodec<>() {
            @Override
            public byte[] encode(String payload) {
                return payload.getBytes(US_ASCII);
            }

            @Override
            public String decode(Slice bytes) throws IOException {
                shown.look(bytes);
                throw new IOException("this is not what was expected");
            }
        };
        Outbox<String> outbox = pair().get(0).outbox("mail", codec, options -> options.f(1));
        outbox.forward(this::look);
        outbox.send(PAYLOAD, OPTIONS).toCompletableFuture().join();

        DeadLetters.Page<String> page = await().atMost(LONG)
                .until(
                        () -> answer(outbox.deadLetters().list(null, 10)),
                        found -> !found.letters().isEmpty());

        shown.look(page);
    }

    @Test
    void ofSendsThatAreRefused() {
        GeoRepNode node = pair().get(0);
        Outbox<String> outbox = node.outbox("mail", String.class, options -> options.f(1));
        shown.fails(
                () -> outbox.send(PAYLOAD, OPTIONS.f(5)).toCompletableFuture().join());
        shown.fails(() -> outbox.send(PAYLOAD.repeat(200_000), OPTIONS)
                .toCompletableFuture()
                .join());
        shown.fails(() -> outbox.sendAll(List.of(PAYLOAD.repeat(200_000)), OPTIONS)
                .get(0)
                .toCompletableFuture()
                .join());
        shown.fails(() -> outbox.send(PAYLOAD, OPTIONS.header(Marks.text("name").repeat(100_000), "x"))
                .toCompletableFuture()
                .join());
        node.close();
        shown.fails(() -> outbox.send(PAYLOAD, OPTIONS).toCompletableFuture().join());
    }

    @Test
    void ofAnEntryThatIsAdopted() {
        List<GeoRepNode> pair = pair();
        List<Outbox<String>> outboxes = outboxes(pair, 1);
        List<Adoption<String>> adoptions = new ArrayList<>();
        outboxes.get(1).onAdoption(adoption -> {
            shown.look(adoption);
            adoptions.add(adoption);
            throw new IllegalStateException("thrown by the callback");
        });
        outboxes.get(1).forward(this::look);
        outboxes.get(0).send(PAYLOAD, OPTIONS).toCompletableFuture().join();

        pair.get(0).halt();

        await().atMost(LONG).until(() -> adoptions.size() == 1);
        await().atMost(LONG)
                .until(() -> pair.get(1)
                                .statistics()
                                .of(OutboxActivity.class)
                                .protocol()
                                .forwarded()
                        == 1);
    }

    @Test
    void ofKeySpaces() throws Exception {
        KeySpaces spaces = pair().get(0).service(KeySpaces.class);
        byte[] key = Marks.text("key").getBytes(US_ASCII);
        for (KeySpace space : List.of(spaces.local("offsets"), spaces.replicated("offsets", 1))) {
            answer(space.put(key, Marks.text("value").getBytes(US_ASCII)));
            assertThat(answer(space.get(key))).isNotNull();
            KeySpace.Page page = answer(space.scan(new byte[0], null, 10));
            assertThat(page.entries()).hasSize(1);
            shown.look(page);
            shown.look(space);
            shown.fails(() -> answer(space.put(key, new byte[64 << 20])));
        }
        shown.look(answer(spaces.readStatistics()));
    }

    @Test
    void ofReplicatedMaps() throws Exception {
        LocalViewMaster master = LocalViewMaster.of(FunnelSettings.defaults(), "n1", "n2");
        GeoRepNode first = start(protectedBuilder(1).replicatedMaps(FunnelSettings.defaults(), master));
        GeoRepNode second = start(protectedBuilder(2)
                .seeds(first.identity().address())
                .replicatedMaps(FunnelSettings.defaults(), master));
        List<ReplicatedMaps> both = List.of(first.service(ReplicatedMaps.class), second.service(ReplicatedMaps.class));
        await().atMost(LONG)
                .until(() -> both.stream().allMatch(maps -> maps.status().role() == MapsStatus.Role.SERVING));
        ReplicatedMap<String, String> map = both.get(0).map("routes", PayloadCodec.string(), PayloadCodec.string());
        ReplicatedMap<String, String> other = both.get(1).map("routes", PayloadCodec.string(), PayloadCodec.string());
        List<String> told = new CopyOnWriteArrayList<>();
        other.listen(change -> {
            shown.look(change);
            told.add(change.key());
            throw new IllegalStateException("thrown by the listener");
        });
        String key = Marks.text("key");
        String value = Marks.text("value");

        answer(map.put(key, value));

        assertThat(answer(other.read(key))).isEqualTo(value);
        await().atMost(LONG).until(() -> told.equals(List.of(key)));
        assertThat(answer(other.replace(key, Marks.text("other"), Marks.text("new"))))
                .isFalse();
        shown.fails(() -> answer(map.put(key, value.repeat(1 << 20))));
        shown.fails(() ->
                both.get(1).map("routes", PayloadCodec.string(), unreadable()).get(key));
        shown.look(map);
        for (ReplicatedMaps maps : both) {
            shown.look(maps);
            shown.look(maps.status());
            shown.look(answer(maps.readStatistics()));
        }
        second.close();
        shown.fails(() -> answer(other.put(key, value)));
    }

    private static PayloadCodec<String> unreadable() {
        return new PayloadCodec<>() {
            @Override
            public byte[] encode(String payload) {
                return new byte[0];
            }

            @Override
            public String decode(Slice bytes) throws IOException {
                throw new IOException("this is not what was expected");
            }
        };
    }

    @Test
    void ofADirectoryThatIsDamagedOrLacksItsKey() throws Exception {
        GeoRepNode first = start(builder(1).encryption(keys("2026-07", KEY)));
        Outbox<String> outbox = first.outbox("mail", String.class, options -> options.f(0));
        outbox.send(PAYLOAD, OPTIONS).toCompletableFuture().join();
        first.close();
        start(builder(1).encryption(keys("2026-07", KEY))).close();
        byte[] other = KEY.clone();
        other[31] = 1;

        shown.fails(() -> start(builder(1)));
        shown.fails(() -> start(builder(1).encryption(keys("other", other))));
        shown.fails(() -> start(builder(1).encryption(keys("2026-07", other))));
        shown.fails(() -> EncryptionKey.of("short", Arrays.copyOf(KEY, 16)));
        shown.fails(() -> EncryptionKey.ofBase64("2026-07", Marks.text("not base64 !")));
        Path file = Files.write(
                directory.resolve("keys"),
                List.of("2026-07 " + Base64.getEncoder().encodeToString(KEY), "second " + PAYLOAD.replace(' ', '-')));
        shown.fails(() -> EncryptionKeys.ofFile(file));
        Path table = tables().get(0);
        byte[] bytes = Files.readAllBytes(table);
        bytes[bytes.length / 3] ^= 1;
        Files.write(table, bytes);
        shown.fails(() -> start(builder(1).encryption(keys("2026-07", KEY))));
    }

    @Test
    void ofSecretsAndOfWhatStrangersSay() throws Exception {
        GeoRepNode closed = start(builder(1).transport(links(SECRET)));
        byte[] other = SECRET.clone();
        other[31] = 1;
        GeoRepNode wrong =
                start(builder(2).transport(links(other)).seeds(closed.identity().address()));
        GeoRepNode open = start(builder(3).transport(new NettyTransportFactory()));
        for (GeoRepNode node : List.of(closed, open)) {
            // The log shows the first eight bytes of a stranger, which tell what it speaks.
            for (String first : List.of("GET / HTTP", "GEOS", "GEOR", "\0\0\0\u0001\0\0\0\u0001")) {
                say(node, first + PAYLOAD.repeat(40));
            }
        }
        await().atMost(LONG).until(() -> wrong.statistics().connectionsDistrusted() > 0);
        shown.fails(() -> SharedSecret.of(Arrays.copyOf(SECRET, 10)));
        shown.fails(() -> SharedSecret.ofBase64(Marks.text("not base64 !")));
        shown.look(SharedSecret.of(SECRET));
        shown.look(NettyTransportConfig.builder()
                .cluster("c")
                .secret(SharedSecret.of(SECRET))
                .build());
    }

    private void look(Delivery<String> delivery) {
        shown.look(delivery);
    }

    /** Two nodes with secret, encryption and key spaces that have met. */
    private List<GeoRepNode> pair() {
        GeoRepNode first = start(protectedBuilder(1));
        GeoRepNode second = start(protectedBuilder(2).seeds(first.identity().address()));
        await().atMost(LONG).until(() -> first.ready(1) && second.ready(1));
        return List.of(first, second);
    }

    private static List<Outbox<String>> outboxes(List<GeoRepNode> nodes, int f) {
        return nodes.stream()
                .map(node -> node.outbox("mail", String.class, options -> options.f(f)))
                .toList();
    }

    private NodeBuilder protectedBuilder(int number) {
        return builder(number)
                .transport(links(SECRET))
                .encryption(keys("2026-07", KEY))
                .keySpaces(KeySpaceSettings.defaults());
    }

    private NodeBuilder builder(int number) {
        return GeoRepNode.builder()
                .nodeId("n" + number)
                .site("site-" + number)
                .listen("127.0.0.1", 0)
                .durability(Durability.OS)
                .protocol(ProtocolConfig.builder()
                        .heartbeat(Duration.ofMillis(200))
                        .suspectAfter(Duration.ofMillis(2000))
                        .terminateAfter(Duration.ofMillis(500))
                        .putTimeout(Duration.ofMillis(1500))
                        .build())
                .dataDir(directory.resolve("n" + number));
    }

    private GeoRepNode start(NodeBuilder builder) {
        GeoRepNode node = builder.start();
        nodes.add(node);
        return node;
    }

    private static NettyTransportFactory links(byte[] secret) {
        return new NettyTransportFactory(links -> links.secret(SharedSecret.of(secret)));
    }

    private static EncryptionKeys keys(String id, byte[] bytes) {
        return EncryptionKeys.of(EncryptionKey.of(id, bytes));
    }

    private List<Path> tables() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("n1"))) {
            return files.filter(file -> file.toString().endsWith(".sst")).toList();
        }
    }

    private static void say(GeoRepNode node, String text) throws IOException {
        String address = node.identity().address();
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            out.write(text.getBytes(US_ASCII));
            out.flush();
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            // Reset by the node: so it heard.
        }
    }

    private static <T extends @Nullable Object> T answer(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
