package io.georep.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.NodeBuilder;
import io.georep.model.Durability;
import io.georep.outbox.Outbox;
import io.georep.outbox.OutboxActivity;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client written from docs/wire-format.md that knows the cluster, its nodes and the addresses, and not the secret: whatever
 * it says, under its own name or that of a node, nothing comes of it but a line in the log and a count.
 */
@Timeout(60)
class SecretIntruderTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int ENTRIES = 50;
    private static final byte[] SECRET = "known to the nodes alone".getBytes(StandardCharsets.US_ASCII);

    private final List<GeoRepNode> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(GeoRepNode::halt);
    }

    private GeoRepNode start(int number, boolean open, String... seeds) {
        NodeBuilder builder = GeoRepNode.builder()
                .nodeId("n" + number)
                .listen("127.0.0.1", 0)
                .seeds(seeds)
                .durability(Durability.MEMORY)
                .transport(new NettyTransportFactory(links -> links.secret(open ? null : SharedSecret.of(SECRET))));
        GeoRepNode node = builder.start();
        nodes.add(node);
        return node;
    }

    private static byte[] text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return join(new byte[] {(byte) bytes.length}, bytes);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static byte[] withChecksumBehind(byte[] bytes) throws IOException {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new DataOutputStream(out).writeInt((int) crc.getValue());
        return join(bytes, out.toByteArray());
    }

    /** HELLO to whoever answers. */
    private static byte[] hello(String id) throws IOException {
        byte[] body = join(
                new byte[] {1, 1},
                text("georep"),
                text(id),
                new byte[] {9},
                new byte[15],
                new byte[] {7},
                text("127.0.0.1:1"),
                text("nowhere"),
                text(""));
        return withChecksumBehind(
                join("GEOR".getBytes(StandardCharsets.US_ASCII), new byte[] {1, 0, (byte) body.length}, body));
    }

    /** A frame that holds one message of the membership, in one chunk. */
    private static byte[] chunk(int type, byte... body) throws IOException {
        byte[] message = join(new byte[] {1, (byte) type, (byte) body.length}, body);
        byte[] frame = join(new byte[] {1, 1, 9, 1, 0, 0, 0}, message);
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        new DataOutputStream(head).writeInt(frame.length);
        CRC32C crc = new CRC32C();
        crc.update(head.toByteArray());
        crc.update(frame);
        new DataOutputStream(head).writeInt((int) crc.getValue());
        return join(head.toByteArray(), frame);
    }

    /** Membership's HELLO, GOODBYE for good, and a word of the outbox that deletes all of a stream. */
    private static byte[] forged(String id) throws IOException {
        byte[] delete = join(text("n1"), new byte[] {1, 0}, text("mail"), new byte[] {1, 0, 100});
        return join(hello(id), chunk(1, (byte) 1), chunk(5, (byte) 1, (byte) 0), chunk(3, delete));
    }

    private static byte[] preamble(int kind, int filling) {
        byte[] body = new byte[32];
        Arrays.fill(body, (byte) filling);
        return join("GEOS".getBytes(StandardCharsets.US_ASCII), new byte[] {1, (byte) kind}, body);
    }

    /** Says all this and returns what comes back until the other side closes the connection. */
    private static String attack(GeoRepNode victim, byte[] words) throws IOException {
        String address = victim.identity().address();
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(words);
            socket.shutdownOutput();
            socket.getInputStream().transferTo(answer);
        } catch (SocketException e) {
            // It was closed with words unread.
        }
        return answer.toString(StandardCharsets.ISO_8859_1);
    }

    private static List<String> peers(GeoRepNode node) {
        return node.peers().stream().map(peer -> peer.id() + " " + peer.state()).toList();
    }

    private static long copies(GeoRepNode node) {
        return node.statistics().of(OutboxActivity.class).protocol().copies();
    }

    @Test
    void whatIsForgedFromOutsideDoesNothingAndIsLoggedAndCounted() throws IOException {
        GeoRepNode one = start(1, false);
        GeoRepNode two = start(2, false, one.identity().address());
        await().atMost(LONG).until(() -> one.ready(1) && two.ready(1));
        Outbox<String> mail = one.outbox("mail", String.class, options -> options.f(1));
        for (int i = 0; i < ENTRIES; i++) {
            mail.sendAndWait("payload " + i, LONG);
        }
        List<String> before = peers(two);
        List<byte[]> attempts = List.of(
                forged("intruder"),
                forged("n1"),
                forged("n2"),
                join(preamble(1, 1), preamble(3, 2), forged("n1")),
                join(preamble(1, 1), preamble(4, 2), forged("n1")),
                join(preamble(3, 1), forged("n1")),
                join(preamble(1, 1), forged("n1")));

        String log;
        try (CapturedLog captured = new CapturedLog("io.georep.netty.internal.LinkLayer")) {
            for (byte[] attempt : attempts) {
                assertThat(attack(two, attempt)).doesNotContain("n1", "n2", "georep", "127.0.0.1");
            }
            await().atMost(LONG).until(() -> two.statistics().connectionsDistrusted() >= attempts.size());
            log = captured.text();
        }

        assertThat(log.lines().filter(line -> line.contains("closed the connection from /127.0.0.1:")))
                .hasSize(attempts.size());
        assertThat(log).contains("without a shared secret").contains("does not know this node's shared secret");
        assertThat(peers(two)).isEqualTo(before);
        assertThat(copies(two)).isEqualTo(ENTRIES);
        assertThat(mail.sendAndWait("still here", LONG)).isNotNull();
    }

    /** The same words do get in where nothing keeps strangers off; so what the other test sees is the secret's doing. */
    @Test
    void theSameWordsAreHeardByAnOpenNode() throws IOException {
        GeoRepNode open = start(1, true);

        assertThat(attack(open, join(hello("intruder"), chunk(1, (byte) 1)))).contains("n1");

        await().atMost(LONG).until(() -> peers(open).stream().anyMatch(peer -> peer.startsWith("intruder")));
    }
}
