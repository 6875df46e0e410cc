package io.georep.netty;

import static io.georep.netty.UnderAttack.AMS;
import static io.georep.netty.UnderAttack.LONG;
import static io.georep.netty.UnderAttack.NYC;
import static io.georep.netty.UnderAttack.SFO;
import static io.georep.netty.WireWords.frame;
import static io.georep.netty.WireWords.greeting;
import static io.georep.netty.WireWords.hello;
import static io.georep.netty.WireWords.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.PeerChange;
import io.georep.PeerStatus;
import io.georep.model.PeerState;
import io.georep.netty.UnderAttack.Protection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What was once done to nodes by a client written from docs/how-it-works/wire-format.md with nothing but access to the port. It knows the
 * cluster, the nodes, their addresses and messages, and not the key. Each attack is tried in each disguise, fails, is logged
 * with its address, and counted; all messages are still there, and in the end each is forwarded once. What others prove about
 * links is not repeated here: {@code TlsIntruderTest}, {@code TlsImpostorTest}, {@code StrangersTest}, {@code RecordHandlerTest}.
 */
class IntruderTest {
    private static final String NOWHERE = "127.0.0.1:1";

    private static byte[] deletion(UnderAttack cluster, String name, String address) {
        return join(hello(name, address), frame(1, greeting(), WireWords.delete(cluster.entries())));
    }

    private static byte[] goodbye(UnderAttack cluster, String name) {
        return join(hello(name, cluster.addressOf(name)), frame(1, greeting(), WireWords.goodbye()));
    }

    private static byte[] removal(UnderAttack cluster, String name, String removed) {
        return join(hello(name, NOWHERE), frame(1, greeting(), WireWords.removed(removed, cluster.addressOf(removed))));
    }

    private static byte[] joining(UnderAttack cluster, ServerSocket trap) {
        return join(
                hello("generous", "127.0.0.1:" + trap.getLocalPort()),
                frame(1, greeting(), WireWords.stored(cluster.entries())));
    }

    private static ServerSocket trap() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    private static byte[] anything() {
        return WireWords.hello("some-cluster", "somebody", "somewhere:1");
    }

    @Nested
    @Timeout(60)
    @ParameterizedClass
    @EnumSource(names = {"SECRET", "TLS"})
    class WithoutTheKey {
        private static UnderAttack cluster = new UnderAttack(Protection.NOTHING);

        WithoutTheKey(Protection protection) {
            assertThat(protection).isEqualTo(cluster.protection());
        }

        @BeforeParameterizedClassInvocation
        static void start(Protection protection) {
            cluster.close();
            cluster = new UnderAttack(protection).start();
        }

        @AfterParameterizedClassInvocation
        static void stop() {
            try {
                cluster.assertEachMessageIsForwardedOnce();
            } finally {
                cluster.close();
            }
        }

        @AfterEach
        void isUnharmed() {
            cluster.assertUnharmed();
        }

        @Test
        void whoAsksIsToldNothing() throws Exception {
            cluster.attack(SFO, anything());
        }

        @Test
        void aDeletionFromANodeThatNobodyKnows() throws Exception {
            cluster.attack(AMS, deletion(cluster, "never-seen", NOWHERE));
        }

        @Test
        void aDeletionInTheNameOfANode() throws Exception {
            cluster.attack(NYC, deletion(cluster, AMS, cluster.addressOf(AMS)));
        }

        /** It would get copies, acknowledge them, and store nothing. */
        @Test
        void joiningToAcknowledgeWithoutStoring() throws Exception {
            try (ServerSocket trap = trap()) {
                cluster.attack(AMS, joining(cluster, trap));

                trap.setSoTimeout(1);
                assertThat(isDialled(trap)).isFalse();
            }
        }

        private static boolean isDialled(ServerSocket trap) throws IOException {
            try (Socket dialled = trap.accept()) {
                return dialled.isConnected();
            } catch (SocketTimeoutException e) {
                return false;
            }
        }

        @Test
        void aGoodbyeInTheNameOfANode() throws Exception {
            cluster.attack(SFO, goodbye(cluster, AMS));
        }

        @Test
        void newsThatALiveNodeWasRemoved() throws Exception {
            cluster.attack(NYC, removal(cluster, "never-seen", AMS));
        }
    }

    /** The same words do all this where nothing keeps strangers off. */
    @Nested
    @Timeout(60)
    class WhereNothingKeepsStrangersOff {
        private final UnderAttack cluster = new UnderAttack(Protection.NOTHING).start();

        @AfterEach
        void stop() {
            cluster.close();
        }

        @Test
        void aNodeSaysWhoItIsAndDialsWhoeverJoins() throws Exception {
            assertThat(cluster.say(AMS, socket -> socket, anything()).text()).contains(WireWords.CLUSTER);
            try (ServerSocket trap = trap();
                    Socket socket = cluster.connect(SFO)) {
                trap.setSoTimeout(20_000);
                socket.getOutputStream().write(joining(cluster, trap));
                try (Socket dialled = trap.accept()) {
                    byte[] told = dialled.getInputStream().readNBytes(60);
                    assertThat(new String(told, StandardCharsets.ISO_8859_1)).contains(WireWords.CLUSTER);
                }
            }
        }

        /** Rule 6.19: whoever it lets in ends only what it owns. */
        @Test
        void aNodeDeletesNothingBecauseAStrangerSaysSo() throws Exception {
            long held = cluster.held();

            cluster.tell(AMS, deletion(cluster, "never-seen", NOWHERE));

            await().atMost(LONG).until(() -> cluster.endsRefused() > 0);
            assertThat(held).isPositive();
            assertThat(cluster.held()).isEqualTo(held);
        }

        @Test
        void aNodeBelievesGoodbyesAndRemovals() throws Exception {
            List<PeerChange> changes = new CopyOnWriteArrayList<>();
            cluster.nodes.get(SFO).onPeerChange(changes::add);
            cluster.tell(SFO, goodbye(cluster, AMS));
            await().atMost(LONG)
                    .until(() -> changes.stream()
                            .anyMatch(change ->
                                    change.peer().value().equals(AMS) && change.after() == PeerState.TERMINATED));

            cluster.tell(NYC, removal(cluster, "never-seen", AMS));

            await().atMost(LONG)
                    .until(() -> cluster.nodes.get(AMS).peers().stream().noneMatch(PeerStatus::selectable));
        }
    }
}
