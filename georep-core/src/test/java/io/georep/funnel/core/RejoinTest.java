package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From when to when a member may read and write: from what its lease counts, and what it has to have before. */
class RejoinTest {
    private static final View ABC = view(1, "a", "b", "c");
    private static final View AB = view(2, "a", "b");
    private static final View CAB = view(3, "c", "a", "b");
    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node c = nodes.node("c");

    @BeforeEach
    void aValue() {
        nodes.grant(ABC);
        a.put("k", "<old>");
        nodes.run();
    }

    private static void grant(FunnelNodes.Node node, View view, Duration askedBefore) {
        long asked = node.turn.now() - askedBefore.toNanos();
        long askedMillis = node.turn.wallMillis() - askedBefore.toMillis();
        ViewMaster.Grant grant = new ViewMaster.Grant(view, FunnelNodes.LEASE, true);
        node.protocol.onCommand(new FunnelCommand.Granted(grant, asked, askedMillis), node.turn);
        node.protocol.endOfTurn(node.turn);
    }

    private static void passes(FunnelNodes.Node node, Duration time) {
        node.turn.advance(time);
        node.protocol.onTimer(node.turn);
        node.protocol.endOfTurn(node.turn);
    }

    private static Object[] values(FunnelNodes.Node node) {
        return node.turn.events(FunnelEvent.Value.class).stream()
                .map(FunnelEvent.Value::token)
                .toArray();
    }

    /** The answer came after 1.5 s: of the lease half a second is left, less the error of the clock. */
    @Test
    void aLeaseCountsFromTheQuestion() {
        passes(c, Duration.ofSeconds(5));
        assertThat(c.get("k")).isEqualTo("ask");

        grant(c, ABC, Duration.ofMillis(1500));
        assertThat(c.get("k")).isEqualTo("<old>");
        assertThat(c.context().hasLease(c.turn)).isTrue();
        passes(c, Duration.ofMillis(470));
        assertThat(c.get("k")).isEqualTo("<old>");
        passes(c, Duration.ofMillis(20));
        assertThat(c.get("k")).isEqualTo("ask");
        assertThat(c.context().hasLease(c.turn)).isFalse();
    }

    /** Writes end half a lease after the question. */
    @Test
    void theTimeForWritesCountsFromTheQuestion() {
        passes(a, Duration.ofSeconds(5));
        grant(a, ABC, Duration.ofMillis(700));
        passes(a, Duration.ofMillis(290));
        a.put("k", "<in time>");
        assertThat(a.turn.events(FunnelEvent.Failed.class)).isEmpty();
        passes(a, Duration.ofMillis(20));
        a.put("k", "<too late>");

        assertThat(a.turn.events(FunnelEvent.Failed.class)).isNotEmpty();
    }

    /** It was taken out, and the others wrote. It is a member again, has a lease, and the members still compare what they hold. */
    @Test
    void aMemberThatRejoinedReadsNothingBeforeItHasEverything() {
        nodes.cutOff("c");
        nodes.grant(AB);
        a.put("k", "<new>");
        nodes.run();
        nodes.mend("c");
        nodes.delivers = sent -> false;
        c.grant(AB);
        nodes.turn(c);
        grant(c, CAB, Duration.ZERO);

        assertThat(c.context().phase).isEqualTo(FunnelContext.Phase.FLUSHING);
        assertThat(c.context().hasLease(c.turn)).isTrue();
        assertThat(c.get("k")).isEqualTo("ask");
        c.read("k", "read");
        nodes.turn(c);
        assertThat(values(c)).isEmpty();

        nodes.delivers = sent -> true;
        nodes.grant(CAB);
        nodes.pass(Duration.ofSeconds(1), CAB);
        assertThat(c.get("k")).isEqualTo("<new>");
        assertThat(values(c)).containsExactly("read");
    }

    /** A member of the view before reads on while the members compare: nothing is committed before it has flushed. */
    @Test
    void aMemberThatStayedReadsOnWhileItIsFlushing() {
        nodes.delivers = sent -> false;
        grant(a, AB, Duration.ZERO);

        assertThat(a.context().phase).isEqualTo(FunnelContext.Phase.FLUSHING);
        assertThat(a.get("k")).isEqualTo("<old>");
    }

    /** A restarted process has the contents of its store, which may be older. */
    @Test
    void aMemberThatRestartedReadsNothingBeforeItHasEverything() {
        c.reboot();
        nodes.delivers = sent -> false;
        grant(c, view(2, "a", "b", "c"), Duration.ZERO);

        assertThat(c.context().hasLease(c.turn)).isTrue();
        assertThat(c.get("k")).isEqualTo("ask");
        c.read("k", "read");
        nodes.turn(c);
        assertThat(values(c)).isEmpty();
    }

    /** A node that learns that it was taken out has no lease, though the time of its last one is not over. */
    @Test
    void whoIsNoMemberAnyMoreHasNoLease() {
        assertThat(c.context().hasLease(c.turn)).isTrue();
        grant(c, AB, Duration.ZERO);

        assertThat(c.context().hasLease(c.turn)).isFalse();
        assertThat(c.get("k")).isEqualTo("ask");
        c.read("k", "read");
        nodes.turn(c);
        assertThat(values(c)).isEmpty();
    }

    /** Its store turned out to be older: what was granted to it before counts no more. */
    @Test
    void aGrantThatWasAskedForBeforeTheStoreWasFoundToBeOlderDoesNotCount() {
        c.protocol.onStaleStore(c.turn);
        c.protocol.endOfTurn(c.turn);
        assertThat(c.get("k")).isEqualTo("ask");
        grant(c, ABC, Duration.ofMillis(10));

        assertThat(c.context().hasLease(c.turn)).isFalse();
        assertThat(c.context().phase).isEqualTo(FunnelContext.Phase.OUTSIDE);
        passes(c, Duration.ofMillis(10));
        nodes.delivers = sent -> false;
        grant(c, view(2, "a", "b", "c"), Duration.ZERO);
        assertThat(c.context().phase).isEqualTo(FunnelContext.Phase.FLUSHING);
        assertThat(c.get("k")).isEqualTo("ask");
    }

    /** The tail has a link, but serves nobody; what it missed comes from it again when it does. */
    @Test
    void aLearnerAsksTheNextMemberWhereTheTailIsSilent() {
        nodes.cutOff("c");
        nodes.grant(AB);
        a.put("k", "<new>");
        nodes.run();
        nodes.mend("c");
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.CATCH_UP || sent.to().equals(a.id);

        nodes.pass(Duration.ofSeconds(30), AB);
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(2);
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isEqualTo(FunnelNodes.slice("<new>"));

        nodes.delivers =
                sent -> sent.type() != FunnelMessages.PAGE || !sent.to().equals(c.id);
        nodes.pass(Duration.ofSeconds(30), AB);
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.CATCH_UP || !sent.to().equals(a.id);
        a.put("k", "<newer>");
        nodes.pass(Duration.ofSeconds(30), AB);
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isEqualTo(FunnelNodes.slice("<newer>"));
    }
}
