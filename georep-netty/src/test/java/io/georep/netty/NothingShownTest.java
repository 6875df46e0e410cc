package io.georep.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Payloads, texts of headers, producer keys, secrets and encryption keys stay where they belong. */
class NothingShownTest extends MarkedNodes {
    private static final String PAYLOAD = Marks.text("payload");
    private static final SendOptions OPTIONS =
            SendOptions.defaults().header("trace", Marks.text("header")).producerKey(Marks.text("producer key"));

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

    private static List<Outbox<String>> outboxes(List<GeoRepNode> nodes, int f) {
        return nodes.stream()
                .map(node -> node.outbox("mail", String.class, options -> options.f(f)))
                .toList();
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
}
