package io.georep.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spi.RecordingListener.Event;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What a {@link Transport} promises of links that protocols choose, beside those to targets. */
abstract class ChosenLinksContract extends TransportFixture {
    private static void open(Node from, long link, Node to) {
        from.transport().openLink(link, 9, to.self().address());
    }

    @Test
    void aLinkOfAProtocolsChoiceIsApartFromThoseToTargets() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);
        assertThat(a.transport().opensLinks()).isTrue();

        open(a, 1, b);
        await("the link", () -> a.heard().has(Event.Opened.class, up -> up.equals(new Event.Opened(1, b.self()))));
        for (int i = 0; i < 500; i++) {
            a.transport().sendOver(1, number(i));
            a.send(b, number(10_000 + i));
        }

        await(
                "all frames",
                () -> b.heard().frames().size() == 500
                        && b.heard().events(Event.StrangerFrame.class).size() == 500);
        assertThat(b.heard().events(Event.StrangerFrame.class))
                .allMatch(frame -> frame.from().equals(a.self()) && frame.channel() == 9)
                .extracting(frame -> ByteBuffer.wrap(frame.bytes()).getInt())
                .isSorted();
        assertThat(b.heard().frames()).allMatch(frame -> ByteBuffer.wrap(frame).getInt() >= 10_000);
        assertThat(a.heard().ups(B)).isEqualTo(1);
        assertThat(a.heard().downs(B)).as("neither link replaces the other").isZero();
        assertThat(a.heard().events(Event.Ended.class)).isEmpty();
    }

    @Test
    void aLinkOfAProtocolsChoiceThatIsClosedLeavesTheOthersUp() {
        Node a = start(A);
        Node b = start(B);
        link(a, b);
        open(a, 1, b);
        open(a, 2, b);
        await("both links", () -> a.heard().events(Event.Opened.class).size() == 2);

        a.transport().sendOver(1, number(1));
        a.transport().closeLink(1);
        a.transport().sendOver(1, number(2));
        a.transport().sendOver(2, number(3));
        a.send(b, number(4));

        await(
                "what was sent before",
                () -> b.heard().events(Event.StrangerFrame.class).size() == 2
                        && b.heard().frames().size() == 1);
        assertThat(a.heard().downs(B)).isZero();
        assertThat(b.heard().events(Event.StrangerFrame.class))
                .extracting(frame -> ByteBuffer.wrap(frame.bytes()).getInt())
                .containsExactlyInAnyOrder(1, 3);
    }

    @Test
    void aLinkOfAProtocolsChoiceIsTriedOnceAndItsEndIsToldOnce() {
        Node a = start(A);
        Node b = start(B);
        a.transport().openLink(1, 9, "127.0.0.1:1");
        await("nobody is there", () -> a.heard().has(Event.Ended.class, end -> end.link() == 1));
        open(a, 2, b);
        await("the link", () -> a.heard().has(Event.Opened.class, up -> up.link() == 2));

        b.transport().close();
        await("its end", () -> {
            a.transport().sendOver(2, number(1));
            return a.heard().has(Event.Ended.class, end -> end.link() == 2);
        });
        Node again = start(B, b.self().address());
        open(a, 3, again);
        await("a new link", () -> a.heard().has(Event.Opened.class, up -> up.link() == 3));

        assertThat(a.heard().events(Event.Ended.class)).hasSize(2);
        assertThat(a.heard().events(Event.Opened.class)).hasSize(2);
    }

    @Test
    void aProcessIsNotLinkedWithItselfByChoice() {
        Node a = start(A);

        open(a, 1, a);

        await("the end", () -> a.heard().has(Event.Ended.class, end -> end.link() == 1));
        assertThat(a.heard().events(Event.Opened.class)).isEmpty();
    }

    @Test
    void whoIsRefusedGetsNoLinkOfItsChoiceEither() {
        Node a = start(A);
        Node b = start(B);
        b.transport().refuse(a.self(), "for the test");

        open(a, 1, b);

        await(
                "the refusal",
                () -> a.heard()
                        .has(
                                Event.Ended.class,
                                end -> end.link() == 1 && end.reason().contains("for the test")));
    }
}
