package io.georep.flagons.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.LinkingTurn;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages to nodes to which there is no link yet, and to those that cannot be reached. */
class FleetLinksTest {
    private static final String A = "a:1";
    private static final NodeId NODE = NodeId.of("a");

    private final List<String> asked = new ArrayList<>();
    private final FleetLinks links = new FleetLinks(A::equals);
    private final LinkingTurn turn = (LinkingTurn) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {LinkingTurn.class}, (proxy, method, given) -> {
                asked.add(method.getName() + " " + given[0] + (given.length > 1 ? " " + given[1] : ""));
                return null;
            });

    private void send(int type, boolean whenDurable, long now) {
        links.send(A, type, Slice.EMPTY, whenDurable, turn, now);
    }

    @Test
    void aMessageOpensALinkAndWaitsForIt() {
        send(1, false, 0);
        send(2, true, 0);
        assertThat(asked).containsExactly("openLink a:1");

        links.up(A, NODE, turn);
        send(3, false, 1);

        assertThat(asked).containsExactly("openLink a:1", "send a:1 1", "sendWhenDurable a:1 2", "send a:1 3");
        assertThat(links.dropped()).isZero();
    }

    @Test
    void whoCannotBeReachedIsLeftAloneForAWhile() {
        send(1, false, 0);
        links.down(A, 10);
        send(2, false, 20);
        assertThat(asked).containsExactly("openLink a:1");
        assertThat(links.dropped()).isEqualTo(2);

        send(3, false, 5_010);
        assertThat(asked).containsExactly("openLink a:1", "openLink a:1");
    }

    /** Many nodes may have been told of an address where there is nobody, or somebody else. */
    @Test
    void anAddressIsDialledEverMoreSeldomUntilSomebodyIsHeardFromThere() {
        List<Long> dialled = new ArrayList<>();
        for (long now = 0; now < 600_000; now += 100) {
            int before = asked.size();
            send(1, false, now);
            if (asked.size() > before) {
                dialled.add(now);
                links.down(A, now);
            }
        }
        assertThat(dialled)
                .startsWith(0L, 5_000L, 15_000L, 35_000L, 75_000L, 135_000L)
                .hasSize(13);

        links.heard(A);
        send(1, false, 600_000);
        assertThat(asked).hasSize(14);
    }

    @Test
    void aLinkThatMadeRoomForAnotherIsOpenedAgainAtOnce() {
        send(1, false, 0);
        links.up(A, NODE, turn);
        links.down(A, 10);
        send(2, false, 20);

        assertThat(asked).containsExactly("openLink a:1", "send a:1 1", "openLink a:1");
    }

    @Test
    void fewMessagesWait() {
        for (int i = 0; i < 40; i++) {
            send(1, false, 0);
        }
        links.up(A, NODE, turn);

        assertThat(asked).hasSize(1 + 32);
        assertThat(links.dropped()).isEqualTo(8);
    }

    @Test
    void whatIsTooLongForALinkIsDropped() {
        links.send(A, 1, Slice.of(new byte[LinkingTurn.LINK_MESSAGE_BYTES_MAX + 1]), false, turn, 0);

        assertThat(asked).isEmpty();
        assertThat(links.dropped()).isOne();
    }

    private static NodeIdentity named(String name, String address) {
        return new NodeIdentity(NodeId.of(name), 1, 1, 1, address, "");
    }

    @Test
    void whoNamesTheAddressOfANodeThatWasReachedMustBeThatNode() {
        assertThat(links.account(named("liar", A))).isEqualTo("?liar");
        send(1, false, 0);
        assertThat(links.account(named("liar", A))).as("nobody was reached yet").isEqualTo("?liar");
        links.up(A, NODE, turn);
        assertThat(links.account(named("liar", A))).isNull();
        assertThat(links.account(named("a", A))).isEqualTo("?a");

        links.down(A, 10);
        assertThat(links.account(named("b", A)))
                .as("another node may be there now")
                .isEqualTo("?b");
    }

    /** Otherwise it would have as many shares, and votes, as addresses. */
    @Test
    void aNodeIsOneWhateverAddressesItNamesAndWhetherItIsReachedThere() {
        for (String address : List.of("a:1", "a:2")) {
            assertThat(links.account(named("a", address))).isEqualTo("?a");
            links.open(address, turn, 0);
            assertThat(links.account(named("a", address))).isEqualTo("?a");
            links.up(address, NODE, turn);
            assertThat(links.account(named("a", address))).isEqualTo("?a");
        }
        links.down("a:1", 10);
        assertThat(links.account(named("a", "a:1"))).isEqualTo("?a");
    }

    @Test
    void whoWasReachedIsKnownWhenTheLinkIsGone() {
        send(1, false, 0);
        assertThat(links.isAt(A, "?a")).isFalse();
        links.up(A, NODE, turn);
        assertThat(links.isAt(A, "?a")).isTrue();
        links.down(A, 10);
        send(1, false, 20);
        assertThat(links.isAt(A, "?a")).isTrue();
        assertThat(links.isAt(A, "?b")).isFalse();

        links.up(A, NodeId.of("b"), turn);
        assertThat(links.isAt(A, "?a")).as("somebody else was found there").isFalse();
        assertThat(links.isAt(A, "?b")).isTrue();
    }

    /** It takes a few hundred addresses to be a few hundred strangers. */
    @Test
    void strangersMakeNobodyForgetWhoWasFoundWhereAnAnswerIsAwaited() {
        send(1, false, 0);
        links.up(A, NODE, turn);
        links.down(A, 10);
        for (int i = 0; i < 1_000; i++) {
            String address = "stranger:" + i;
            links.open(address, turn, 20);
            links.up(address, NodeId.of("stranger" + i), turn);
            links.down(address, 20);
            assertThat(links.isAt(address, "?stranger" + i))
                    .as("nobody asked it")
                    .isFalse();
        }

        assertThat(links.isAt(A, "?a")).isTrue();
    }
}
