package io.georep.netty;

import static io.georep.netty.UnderAttack.AMS;
import static io.georep.netty.UnderAttack.LONG;
import static io.georep.netty.UnderAttack.NYC;
import static io.georep.netty.UnderAttack.SFO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.netty.UnderAttack.Protection;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What somebody can do with bytes alone: with those of others, which he has recorded or can tamper with on the way to nyc-1, and
 * with a great many or very few of his own. It fails, is logged with its address, and counted; no message is lost, and in the end
 * each is forwarded once.
 */
@Timeout(60)
@ParameterizedClass
@EnumSource(names = {"SECRET", "TLS", "OPENSSL"})
class IntruderOnTheWayTest {
    private static final int ENOUGH = 64 << 20;

    private static UnderAttack cluster = new UnderAttack(Protection.NOTHING);
    private static Tap tap;

    private final Protection protection;

    IntruderOnTheWayTest(Protection protection) {
        this.protection = protection;
    }

    @BeforeParameterizedClassInvocation
    static void start(Protection protection) throws IOException {
        cluster.close();
        cluster = new UnderAttack(protection, Duration.ofSeconds(2));
        tap = new Tap();
        cluster.start(tap.behind(), tap.address());
    }

    @AfterParameterizedClassInvocation
    static void stop() throws IOException {
        try {
            cluster.assertEachMessageIsForwardedOnce();
        } finally {
            cluster.close();
            tap.close();
        }
    }

    @AfterEach
    void isUnharmed() {
        cluster.assertUnharmed();
    }

    private static void assertLogged(Socket socket) {
        await().atMost(LONG).until(() -> cluster.log.text().contains("127.0.0.1:" + socket.getLocalPort()));
    }

    /** Genuine connections to nyc-1 were recorded, and the dialer's part is played again. */
    @Test
    void aRecordedConnectionPlayedAgain() throws Exception {
        for (byte[] recorded : tap.recorded().subList(0, 2)) {
            long before = cluster.turnedAway(NYC);
            try (Socket again = tap.connect()) {
                String answer = Tap.say(again, recorded);

                assertThat(answer).doesNotContain(AMS, NYC, SFO, WireWords.CLUSTER, "payload");
                await().atMost(LONG).until(() -> cluster.turnedAway(NYC) > before);
                assertLogged(again);
            }
            assertThat(new String(recorded, StandardCharsets.ISO_8859_1))
                    .doesNotContain(AMS, SFO, WireWords.CLUSTER, "payload");
        }
    }

    /** What a node sends to nyc-1 is left out or repeated: the link ends, and the next one carries everything. */
    @Test
    void genuineTrafficCutOrRepeatedOnTheWay() {
        for (Tap.Fault fault : Tap.Fault.values()) {
            await("all links to nyc-1").atMost(LONG).until(() -> linksToNyc() == 2);
            int connections = tap.recorded().size();
            long before = cluster.transports.get(NYC).counters().malformed();
            tap.inject(fault);
            cluster.send(30);
            await(fault + " is counted")
                    .atMost(LONG)
                    .until(() -> cluster.transports.get(NYC).counters().malformed() > before);
            // Or the next fault would meet a handshake, which counts otherwise.
            await("another link").atMost(LONG).until(() -> tap.recorded().size() > connections);
        }
        assertThat(cluster.log.text()).containsPattern("closing the link from (ams|sfo)-1 at /127.0.0.1:");
        await().atMost(LONG).until(() -> cluster.nodes.values().stream().allMatch(node -> node.ready(2)));
        await().atMost(LONG).until(() -> cluster.copies() == cluster.acknowledged.size());
    }

    private static long linksToNyc() {
        return cluster.transports.get(NYC).counters().linksIn();
    }

    /** Each byte comes in time, and the whole never does; meanwhile the nodes work. */
    @Test
    void aHandshakeThatNeverEnds() throws Exception {
        byte[] slow = protection.isTls()
                ? new byte[] {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xfc, 0x03, 0x03}
                : WireWords.preamble(1, 1);
        long before = cluster.turnedAway(SFO);
        try (Socket socket = cluster.connect(SFO)) {
            socket.setSoTimeout(20);
            int sent = 0;
            while (!isClosed(socket)) {
                if (sent < slow.length - 1) {
                    socket.getOutputStream().write(slow[sent++]);
                }
            }
            assertLogged(socket);
        }
        assertThat(cluster.turnedAway(SFO)).isGreaterThan(before);
        cluster.send(1);
    }

    private static boolean isClosed(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** Lengths that promise more than anybody should keep, and as much behind them as is taken. */
    @Test
    void messagesOfAnySize() throws Exception {
        byte[] hello = WireWords.hello("never-seen", "127.0.0.1:1");
        Map<String, byte[]> heads = new LinkedHashMap<>();
        heads.put("handshake", new byte[] {'G', 'E', 'O', 'R', 1, (byte) 0xff, (byte) 0xff});
        heads.put("chunk", WireWords.join(hello, new byte[] {(byte) 0x80, (byte) 0xff, -1, -1}));
        heads.put("record of a secret", WireWords.join(WireWords.preamble(1, 1), new byte[] {0x7f, -1, -1, -1}));
        heads.put("record of TLS", new byte[] {0x16, 0x03, 0x03, (byte) 0xff, (byte) 0xff, 1, 0, -1, -1, -1});
        heads.put("anything", new byte[0]);

        for (Map.Entry<String, byte[]> head : heads.entrySet()) {
            long before = cluster.turnedAway(AMS);
            try (Socket socket = cluster.connect(AMS)) {
                assertThat(pour(socket, head.getValue())).as(head.getKey()).isLessThan(ENOUGH);
                await(head.getKey() + " is counted").atMost(LONG).until(() -> cluster.turnedAway(AMS) > before);
                assertLogged(socket);
            }
        }
    }

    /** Writes until the other side has had enough; returns how much that was. */
    private static long pour(Socket socket, byte[] head) {
        long poured = 0;
        byte[] much = new byte[1 << 20];
        try {
            OutputStream out = socket.getOutputStream();
            out.write(head);
            while (poured < ENOUGH) {
                out.write(much);
                poured += much.length;
            }
        } catch (IOException e) {
            // It was closed.
        }
        return poured;
    }
}
