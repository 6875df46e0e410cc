package io.georep.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.georep.model.NodeId;
import io.georep.spi.RecordingListener.Event;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What {@link Transport} promises, for every implementation: extend it and say how to make one. */
public abstract class TransportContract extends ChosenLinksContract {
    private static List<Integer> numbers(Node node) {
        return node.heard().frames().stream()
                .filter(frame -> frame.length == 4)
                .map(frame -> ByteBuffer.wrap(frame).getInt())
                .toList();
    }

    @Test
    void linkUpTellsWhoAnswered() {
        Node a = start(A);
        Node b = start(B);

        link(a, b);

        assertThat(a.heard().events(Event.Up.class)).containsExactly(new Event.Up(b.self()));
        assertThat(b.self().address()).doesNotEndWith(":0");
    }

    @Test
    void framesArriveInOrderWithTheIdentityOfTheirSender() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        for (int i = 0; i < 2000; i++) {
            a.send(b, number(i));
        }

        await("all frames", () -> b.heard().frames().size() == 2000);
        assertThat(numbers(b)).isSorted();
        assertThat(b.heard().events(Event.Frame.class))
                .allMatch(frame -> frame.from().equals(a.self()));
    }

    @Test
    void framesSentTogetherArriveInOrderWhereTheyGoTo() {
        Node a = start(A);
        Node b = start(B);
        Node c = start(C);
        a.target(b, c);
        await("links to both", () -> a.heard().events(Event.Up.class).size() == 2);

        for (int i = 0; i < 1000; i++) {
            a.transport()
                    .sendAll(List.of(
                            new Transport.Outgoing(B, number(2 * i), false, 2),
                            new Transport.Outgoing(C, number(10_000 + i), false, 2),
                            new Transport.Outgoing(NodeId.of("nobody"), number(i), false, 2),
                            new Transport.Outgoing(B, number(2 * i + 1), false, 2)));
        }

        await(
                "all frames",
                () -> b.heard().frames().size() == 2000 && c.heard().frames().size() == 1000);
        assertThat(numbers(b)).isSorted().doesNotHaveDuplicates().allMatch(number -> number < 2000);
        assertThat(numbers(c)).isSorted().doesNotHaveDuplicates().allMatch(number -> number >= 10_000);
    }

    @Test
    void framesOfALaneArriveInOrderAndTheLaneInOrderAfterAll() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        for (int i = 0; i < 1000; i++) {
            a.transport().send(new Transport.Outgoing(B, number(i), false, 2));
            a.transport().send(new Transport.Outgoing(B, number(10_000 + i), false, 9));
        }
        a.transport().send(new Transport.Outgoing(B, number(20_000), false, Transport.IN_ORDER));
        a.transport().send(new Transport.Outgoing(B, number(1000), false, 2));

        await("all frames", () -> b.heard().frames().size() == 2002);
        List<Integer> numbers = numbers(b);
        assertThat(numbers).filteredOn(number -> number <= 1000).isSorted();
        assertThat(numbers)
                .filteredOn(number -> number >= 10_000 && number < 20_000)
                .isSorted();
        assertThat(numbers.indexOf(20_000)).isGreaterThan(numbers.indexOf(999)).isGreaterThan(numbers.indexOf(10_999));
    }

    @Test
    void framesOfAnySizeArriveUnchanged() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);
        Random random = new Random(1);
        List<byte[]> sent = new ArrayList<>();
        for (int size : new int[] {0, 1, 300, 65_535, 65_536, 65_537, 131_072, 400_000, 3_000_000}) {
            byte[] frame = new byte[size];
            random.nextBytes(frame);
            sent.add(frame);
        }

        sent.forEach(frame -> a.send(b, frame));

        await("all frames", () -> b.heard().frames().size() == sent.size());
        for (int i = 0; i < sent.size(); i++) {
            assertThat(b.heard().frames().get(i)).isEqualTo(sent.get(i));
        }
    }

    @Test
    void urgentFramesMayOvertakeOthersButNotEachOther() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        for (int i = 0; i < 1000; i++) {
            a.transport().send(B, number(i), false);
            a.transport().send(B, number(10_000 + i), true);
        }

        await("all frames", () -> b.heard().frames().size() == 2000);
        assertThat(numbers(b).stream().filter(number -> number < 10_000)).isSorted();
        assertThat(numbers(b).stream().filter(number -> number >= 10_000)).isSorted();
    }

    @Test
    void linksAreDirected() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        b.send(a, number(1));
        a.send(b, number(2));

        await("the frame along the link", () -> b.heard().frames().size() == 1);
        assertThat(b.heard().events(Event.Up.class)).isEmpty();
        assertThat(a.heard().frames()).isEmpty();
    }

    @Test
    void framesWithoutALinkAreDropped() {
        Node a = start(A);

        assertThatCode(() -> a.transport().send(B, number(1), true)).doesNotThrowAnyException();
    }

    @Test
    void linkGoesDownWithThePeerAndComesBackWithIt() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        b.transport().close();
        await("link down", () -> a.heard().downs(B) == 1);
        Node restarted = start(B, b.self().address());
        await("link up again", () -> a.heard().ups(B) == 2);
        a.send(restarted, number(5));

        await("frame to the new process", () -> numbers(restarted).equals(List.of(5)));
        assertThat(a.heard().downs(B)).isEqualTo(1);
        assertThat(a.heard().events(Event.Up.class).get(1).peer().nonce())
                .isEqualTo(restarted.self().nonce());
    }

    @Test
    void peerThatIsNotThereYetIsLinkedWhenItComes() {
        Node b = start(B);
        b.transport().close();
        Node a = start(A);

        a.target(b);
        Node late = start(B, b.self().address());

        awaitUp(a, late);
    }

    @Test
    void linkOfFormerTargetGoesDown() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);

        a.target();

        await("link down", () -> a.heard().downs(B) == 1);
        a.target(b);
        await("link up again", () -> a.heard().ups(B) == 2);
    }

    @Test
    void targetThatMovedIsDialledAtItsNewAddress() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);
        b.transport().close();

        Node moved = start(B);
        a.target(moved);

        await(
                "link to the new address",
                () -> a.heard().has(Event.Up.class, up -> up.peer().equals(moved.self())));
        assertThat(a.heard().ups(B) - a.heard().downs(B)).isEqualTo(1);
    }

    @Test
    void seedIsLinkedUnderTheIdItAnswersWith() {
        Node a = start(A);
        Node b = start(B);

        a.seed(b.self().address());
        awaitUp(a, b);
        a.send(b, number(1));

        await("frame", () -> b.heard().frames().size() == 1);
    }

    @Test
    void seedThatBecomesTargetKeepsItsLink() {
        Node a = start(A);
        Node b = start(B);
        Node c = start(C);
        a.seed(b.self().address());
        awaitUp(a, b);

        a.transport()
                .targets(
                        Map.of(B, b.self().address(), C, c.self().address()),
                        List.of(b.self().address()));
        awaitUp(a, c);
        a.transport().targets(Map.of(B, b.self().address()), List.of());
        await("link to c down", () -> a.heard().downs(C) == 1);

        assertThat(a.heard().ups(B)).isEqualTo(1);
        assertThat(a.heard().downs(B)).isZero();
    }

    @Test
    void seedAndTargetThatAreOnePeerGiveOneLink() {
        Node a = start(A);
        Node b = start(B);
        Node c = start(C);

        a.transport()
                .targets(
                        Map.of(B, b.self().address()),
                        List.of(b.self().address(), c.self().address()));
        awaitUp(a, b);
        awaitUp(a, c);
        a.send(b, number(1));

        await("frame", () -> b.heard().frames().size() == 1);
        assertThat(a.heard().ups(B)).isEqualTo(1);
    }

    @Test
    void ownAddressAmongTheSeedsIsIgnored() {
        Node a = start(A);
        Node b = start(B);

        a.seed(a.self().address(), b.self().address());

        awaitUp(a, b);
        assertThat(a.heard().ups(A)).isZero();
        assertThat(a.heard().events(Event.Refused.class)).isEmpty();
    }

    @Test
    void nodeWithAnotherIdThanExpectedRefuses() {
        Node a = start(A);
        Node b = start(B);

        a.transport().targets(Map.of(C, b.self().address()), List.of());

        await(
                "refusal",
                () -> a.heard()
                        .has(
                                Event.Refused.class,
                                refused -> refused.address().equals(b.self().address())
                                        && refused.reason().contains("is b")));
        assertThat(a.heard().events(Event.Up.class)).isEmpty();
    }

    @Test
    void refusedPeerLosesBothLinksAndIsToldWhyUntilItIsATargetAgain() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);
        link(b, a);

        a.transport().refuse(b.self(), "two processes are called b");
        await("both links down", () -> a.heard().downs(B) == 1 && b.heard().downs(A) == 1);
        await(
                "refusal",
                () -> b.heard()
                        .has(Event.Refused.class, refused -> refused.reason().contains("two processes are called b")));
        assertThat(a.heard().ups(B)).isEqualTo(1);
        assertThat(b.heard().ups(A)).isEqualTo(1);

        a.target();
        a.target(b);
        await("both links back", () -> a.heard().isUp(B) && b.heard().isUp(A));
    }

    @Test
    void refusalOfOneBootLetsTheNextBootIn() {
        Node a = start(A);
        Node b = start(B);
        link(b, a);

        a.transport().refuse(b.self(), "not this one");
        await("link down", () -> b.heard().downs(A) == 1);
        b.transport().close();
        Node restarted = start(B, b.self().address());
        restarted.target(a);

        awaitUp(restarted, a);
    }

    @Test
    void closeSendsWhatIsQueuedAndTellsTheEndOfEveryLinkOnce() {
        Node a = start(A);
        Node b = start(B);
        Node c = start(C);
        a.target(b, c);
        awaitUp(a, b);
        awaitUp(a, c);

        for (int i = 0; i < 500; i++) {
            a.send(b, number(i));
        }
        a.transport().close();
        List<Event> atClose = a.heard().events();
        a.transport().close();

        assertThat(a.heard().downs(B)).isEqualTo(1);
        assertThat(a.heard().downs(C)).isEqualTo(1);
        await("all frames", () -> b.heard().frames().size() == 500);
        link(b, c);
        assertThat(a.heard().events()).isEqualTo(atClose);
    }

    @Test
    void nothingHappensAfterClose() {
        Node a = start(A);
        Node b = start(B);
        a.transport().close();

        assertThatCode(() -> {
                    a.target(b);
                    a.send(b, number(1));
                    a.transport().refuse(b.self(), "late");
                })
                .doesNotThrowAnyException();
        Node c = start(C);
        link(c, b);
        assertThat(a.heard().events()).isEmpty();
    }
}
