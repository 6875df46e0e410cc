package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Version;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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

        assertThat(c.context().standing.phase()).isEqualTo(Standing.Phase.FLUSHING);
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

        assertThat(a.context().standing.phase()).isEqualTo(Standing.Phase.FLUSHING);
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
        c.protocol.onStaleStore(true, c.turn);
        c.protocol.endOfTurn(c.turn);
        assertThat(c.get("k")).isEqualTo("ask");
        grant(c, ABC, Duration.ofMillis(10));

        assertThat(c.context().hasLease(c.turn)).isFalse();
        assertThat(c.context().standing.phase()).isEqualTo(Standing.Phase.OUTSIDE);
        passes(c, Duration.ofMillis(10));
        nodes.delivers = sent -> false;
        grant(c, view(2, "a", "b", "c"), Duration.ZERO);
        assertThat(c.context().standing.phase()).isEqualTo(Standing.Phase.FLUSHING);
        assertThat(c.get("k")).isEqualTo("ask");
    }

    /** The tail has a link, but serves nobody. */
    @Test
    void aLearnerAsksTheNextMemberWhereTheTailIsSilent() {
        nodes.cutOff("c");
        nodes.grant(AB);
        a.put("k", "<new>");
        nodes.run();
        nodes.mend("c");
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.CATCH_UP || sent.to().equals(a.id);

        nodes.pass(Duration.ofSeconds(12), AB);
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(2);
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isEqualTo(FunnelNodes.slice("<new>"));
        a.put("k", "<newer>");
        nodes.pass(Duration.ofSeconds(12), AB);
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isEqualTo(FunnelNodes.slice("<newer>"));
    }

    /** If it joined before it has caught up again, all would wait for it. */
    @Test
    void aLearnerThatFellBehindIsNotReadyBeforeItHasCaughtUpAgain() {
        nodes.cutOff("c");
        nodes.grant(AB);
        nodes.mend("c");
        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(2);

        nodes.cutOff("c");
        a.put("k", "<new>");
        nodes.run();
        nodes.mend("c");
        c.grant(AB);
        c.protocol.endOfTurn(c.turn);
        assertThat(c.lastAsk().renewal().readyView()).isZero();
        nodes.run();
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(2);
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isEqualTo(FunnelNodes.slice("<new>"));
    }

    /** What it has now does not tell of removals that the others have forgotten, and after a restart it knows that too. */
    @Test
    void whoBeganAnewKnowsOfNoOlderRemovals() {
        nodes.cutOff("c");
        nodes.grant(AB);
        String large = "v".repeat(200_000);
        List.of("x", "y", "z").forEach(key -> a.put(key, large));
        a.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.pass(Duration.ofSeconds(3), AB);
        a.put("other", "<after>");
        nodes.pass(Duration.ofSeconds(3), AB);
        assertThat(a.context().progress.horizon()).as("removals are forgotten").isGreaterThan(new Version(2, 0));
        AtomicInteger pages = new AtomicInteger();
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || pages.incrementAndGet() == 1;
        nodes.mend("c");
        c.grant(AB);
        nodes.run();
        assertThat(c.get("k")).isEqualTo("ask");
        assertThat(c.context().progress.applied().isBefore(a.context().progress.applied()))
                .as("it has not everything yet")
                .isTrue();

        c.reboot();
        assertThat(c.context().progress.wiped()).isNotEqualTo(Version.NONE);
        assertThat(c.context().progress.horizon())
                .isEqualTo(c.context().progress.wiped());
    }

    /** So many pages have come, with k left out of the last: it was written again meanwhile, and only b committed that. */
    private static FunnelNodes cutOffInATransfer() {
        FunnelNodes nodes = new FunnelNodes("a", "b", "c");
        View ab = view(1, "a", "b");
        FunnelNodes.Node b = nodes.node("b");
        nodes.cutOff("c");
        nodes.grant(ab);
        String large = "v".repeat(200_000);
        for (String key : List.of("f1", "f2", "f3", "k", "g1", "g2", "g3")) {
            b.put(key, key.equals("k") ? "v5" : large);
            nodes.run();
        }
        b.peers.peer(nodes.node("c").id).full = true; // one page for each question
        AtomicInteger pages = new AtomicInteger();
        AtomicInteger pagesMax = new AtomicInteger(1);
        nodes.delivers = sent -> switch (sent.type()) {
            case FunnelMessages.PAGE -> pages.incrementAndGet() <= pagesMax.get();
            case FunnelMessages.CATCH_UP -> pages.get() < pagesMax.get();
            default -> pages.get() == 0 || sent.type() != FunnelMessages.COMMIT;
        };
        nodes.mend("c");
        nodes.grant(ab);
        b.write(FunnelCommand.Kind.REPLACE, "k", "v6", "v5", Topology.AUTO);
        nodes.run();
        pagesMax.set(2);
        nodes.pass(Duration.ofSeconds(2), ab);
        assertThat(pages.get()).isEqualTo(2);
        assertThat(b.get("k")).isEqualTo("v6");
        assertThat(nodes.node("c").context().tables.find(FunnelNodes.key("g1"))).isNotNull();
        assertThat(nodes.node("c").context().tables.find(FunnelNodes.key("k"))).isNull();
        nodes.cutOff("b");
        nodes.delivers = sent -> true;
        return nodes;
    }

    /** What a transfer brought is no prefix before it is complete: another member cannot go on where it broke off. */
    @Test
    void aTransferThatAnotherMemberGoesOnWithBeginsAgain() {
        FunnelNodes nodes = cutOffInATransfer();
        goesOnWithTheOtherMember(nodes);
    }

    /** The store tells that too. */
    @Test
    void aTransferThatWasCutOffByARestartBeginsAgain() {
        FunnelNodes nodes = cutOffInATransfer();
        nodes.node("c").reboot();
        assertThat(nodes.node("c").context().progress.applied()).isEqualTo(Version.NONE);
        goesOnWithTheOtherMember(nodes);
    }

    private static void goesOnWithTheOtherMember(FunnelNodes nodes) {
        nodes.pass(Duration.ofSeconds(12), view(1, "a", "b"));
        FunnelNodes.Node c = nodes.node("c");
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(1);
        Item behindK = c.context().tables.after(new Version(1, 4)).next;
        assertThat(behindK).as("records stay in the order of commits").isNotNull();
        assertThat(behindK.commit).isEqualTo(5);
        View ca = view(3, "c", "a");
        nodes.grant(ca);
        nodes.pass(Duration.ofSeconds(1), ca);
        assertThat(c.get("k")).isEqualTo("v6");
        nodes.assertSame("a", "c");
    }

    /** The member lacks the beginning of what it got, and the one that joins all of it. */
    @Test
    void whatATransferThatWasCutOffBroughtIsInTheNextView() {
        nodes.cutOff("a");
        View cb = view(2, "c", "b");
        nodes.grant(cb);
        nodes.mend("a");
        nodes.pass(Duration.ofSeconds(1), cb);
        assertThat(a.lastAsk().renewal().readyView()).isEqualTo(2);
        nodes.cutOff("a");
        FunnelNodes.Node b = nodes.node("b");
        AtomicInteger pages = new AtomicInteger();
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT;
        String large = "v".repeat(200_000);
        for (String key : List.of("f1", "f2", "k", "g1", "g2", "g3")) {
            b.put(key, key.equals("k") ? "<new>" : large);
            nodes.run();
        }
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || pages.incrementAndGet() == 1;
        b.peers.peer(c.id).full = true; // one page for each question
        c.put("last", "<shows the gap>");
        nodes.run();
        assertThat(pages.get()).isPositive();
        assertThat(c.context().isPartial()).as("what came is not taken").isFalse();
        assertThat(c.context().progress.applied()).isEqualTo(new Version(2, 0));
        nodes.cutOff("b");
        nodes.mend("a");
        nodes.delivers = sent -> true;
        View ca = view(3, "c", "a");
        nodes.grant(ca);
        nodes.pass(Duration.ofSeconds(1), ca);

        assertThat(a.get("f1")).isEqualTo(large);
        assertThat(a.get("k")).isEqualTo("<new>");
        assertThat(a.get("g3")).isEqualTo(large);
        nodes.assertSame("a", "c");
    }

    /** Both would ask and answer without a pause. */
    @Test
    void aLearnerThatHasMoreThanTheMemberItFollowsWaitsForThat() {
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT;
        c.put("k", "<only c knows>");
        nodes.run();
        assertThat(c.get("k")).isEqualTo("<only c knows>");
        nodes.delivers = sent -> true;
        nodes.cutOff("c");
        nodes.cutOff("a");
        nodes.grant(AB);
        assertThat(nodes.node("b").context().standing.phase()).isEqualTo(Standing.Phase.FLUSHING);
        nodes.mend("c");
        nodes.counts.clear();
        nodes.pass(Duration.ofSeconds(1), AB);

        assertThat(nodes.counts.get(FunnelMessages.CATCH_UP)).isBetween(1, 10);
        nodes.mend("a");
        nodes.pass(Duration.ofSeconds(3), AB);
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(2);
        a.put("k", "<new>");
        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isEqualTo(FunnelNodes.slice("<new>"));
    }
}
