package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Slice;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a node that is no member gets what is committed, and from whom; c was a member before. */
class LearnerTest extends ThreeNodes {
    private static final View AB = view(2, "a", "b");

    @BeforeEach
    void cWasTakenOut() {
        nodes.grant(ABC);
        a.put("k", "<old>");
        nodes.run();
        nodes.cutOff("c");
        nodes.grant(AB);
        nodes.mend("c");
    }

    private long readyView() {
        return c.lastAsk().renewal().readyView();
    }

    /** In which views c was ready, as it told the master from now on. */
    private List<Long> told() {
        return c.turn.events(FunnelEvent.Ask.class).stream()
                .map(FunnelEvent.Ask::renewal)
                .map(ViewMaster.Renewal::readyView)
                .toList();
    }

    private void linkOfBAndC(boolean isUp) {
        b.peers.peer(c.id).linked = isUp;
        c.peers.peer(b.id).linked = isUp;
    }

    /** Each commit is a page, and each page is asked for. */
    private void putPages(int count) {
        nodes.pass(Duration.ofSeconds(1), AB);
        b.peers.peer(c.id).full = true;
        b.context().pageBytes = 1;
        c.turn.forget();
        for (int i = 0; i < count; i++) {
            a.put("k" + i, "v");
        }
        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(c.context().progress.applied())
                .isEqualTo(a.context().progress.applied());
    }

    /** It lacks nothing yet, so nothing is lost when it goes on with another member. */
    @Test
    void aFollowerWhoseLinkBreaksIsNotReadyAndAsksAnotherMember() {
        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(readyView()).isEqualTo(2);
        linkOfBAndC(false);
        nodes.turn(c);
        assertThat(readyView()).isZero();

        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(readyView()).isEqualTo(2);
        a.put("k", "<new>");
        nodes.run();
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isEqualTo(FunnelNodes.slice("<new>"));
    }

    /** More is committed in one turn than one page holds. */
    @Test
    void aFollowerStaysReadyWhileMuchIsWritten() {
        putPages(CatchingUp.BEHIND_MAX);
        assertThat(told()).doesNotContain(0L);
    }

    @Test
    void aFollowerThatIsManyPagesBehindIsNotReadyBeforeItHasCaughtUp() {
        putPages(CatchingUp.BEHIND_MAX + 1);
        assertThat(told()).containsExactly(0L, 2L);
        assertThat(c.turn.events(FunnelEvent.Ask.class))
                .as("the master must not wait for it")
                .isNotEmpty()
                .allMatch(FunnelEvent.Ask::now);
    }

    /** a forgets no removal that c is still to get from it, and b has told a to forget. */
    @Test
    void whoLearnsFromAnotherMemberThanTheTailDoesNotBeginAnewWhereRemovalsAreForgotten() {
        linkOfBAndC(false);
        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(readyView()).isEqualTo(2);
        c.isStoreSlow = true;
        a.put("other", "v");
        nodes.run();
        a.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.run();
        nodes.pass(Duration.ofSeconds(1), AB);
        a.put("other", "w");
        nodes.run();
        assertThat(b.context().tables.removals())
                .as("the tail knows of no learner")
                .isZero();
        c.isStoreSlow = false;
        nodes.pass(Duration.ofSeconds(1), AB);

        assertThat(c.context().progress.wiped()).isEqualTo(Version.NONE);
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isNull();
        nodes.pass(Duration.ofSeconds(1), AB);
        a.put("other", "x");
        nodes.run();
        nodes.pass(Duration.ofSeconds(1), AB);
        a.put("other", "y");
        nodes.run();
        assertThat(a.context().tables.removals()).as("c has it").isZero();
    }

    /** Only a removal that it may not know makes it begin anew, not what else was committed before that was forgotten. */
    @Test
    void whoHasTheNewestRemovalThatIsForgottenDoesNotBeginAnew() {
        nodes.pass(Duration.ofSeconds(1), AB);
        nodes.delivers = sent -> sent.type() != FunnelMessages.CATCH_UP;
        a.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.run();
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isNull();
        nodes.cutOff("c");
        nodes.delivers = sent -> true;
        a.put("other", "1");
        nodes.pass(Duration.ofSeconds(61), AB); // nobody waits for a learner any more
        a.put("other", "2");
        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(b.context().tables.removals()).isZero();
        nodes.mend("c");
        nodes.pass(Duration.ofSeconds(1), AB);

        assertThat(readyView()).isEqualTo(2);
        assertThat(c.context().progress.wiped()).isEqualTo(Version.NONE);
    }

    /** Else its store would say that all is there up to what came before the fault. */
    @Test
    void ofAPageWithARecordThatCannotBeReadNothingIsTaken() {
        nodes.pass(Duration.ofSeconds(1), AB);
        Cell good = new Cell(FunnelLayout.keyPlace(FunnelNodes.key("good")));
        good.set(new Version(2, 7), 9, a.id, FunnelNodes.slice("v"), 0);
        FunnelMessages.Stored bad =
                new FunnelMessages.Stored(false, FunnelNodes.key("bad"), Slice.of(new byte[] {2, 8}));
        BinWriter page = new BinWriter(64).varint(2);
        Version applied = c.context().progress.applied();
        List<FunnelMessages.Stored> items = List.of(good.stored(), bad);
        FunnelMessages.page(page, false, true, applied, new Version(2, 8), Version.NONE, items);

        assertThatThrownBy(() -> c.protocol.onMessage(
                        c.peers.peer(b.id), FunnelMessages.PAGE, new BinReader(page.toSlice()), c.turn))
                .isInstanceOf(MalformedException.class);
        assertThat(c.context().tables.find(good.key)).isNull();
        nodes.run();
        c.reboot();
        assertThat(c.context().progress.applied()).isEqualTo(applied);
    }

    private void cGets(
            FunnelNodes.Node from, boolean full, boolean complete, Version until, Version horizon, Cell... cells) {
        BinWriter page = new BinWriter(64).varint(2);
        FunnelMessages.page(
                page,
                full,
                complete,
                Version.NONE,
                until,
                horizon,
                Arrays.stream(cells).map(Item::stored).toList());
        c.protocol.onMessage(c.peers.peer(from.id), FunnelMessages.PAGE, new BinReader(page.toSlice()), c.turn);
        c.protocol.endOfTurn(c.turn);
    }

    private Cell at(long commit, String value) {
        Cell cell = new Cell(FunnelLayout.keyPlace(FunnelNodes.key("k")));
        cell.set(new Version(2, commit), 50 + commit, a.id, FunnelNodes.slice(value), 0);
        return cell;
    }

    /** a lags behind b, and has forgotten removals of which b still told c; b's transfer was not complete. */
    @Test
    void whoBeginsAnewAtAMemberThatLagsTellsNothingOlder() {
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE;
        nodes.pass(Duration.ofSeconds(1), AB);
        cGets(b, false, false, new Version(2, 9), Version.NONE, at(9, "<9>"));
        linkOfBAndC(false);
        nodes.pass(Duration.ofSeconds(12), AB);
        cGets(a, true, true, new Version(2, 7), new Version(2, 5), at(7, "<7>"));
        cGets(a, false, true, new Version(2, 9), new Version(2, 5), at(9, "<9>"));
        assertThat(c.context().tables.find(FunnelNodes.key("k")).value).isEqualTo(FunnelNodes.slice("<9>"));
        cGets(a, true, true, new Version(2, 12), new Version(2, 10), at(12, null));

        List<String> toldOfK = c.turn.events(FunnelEvent.Changes.class).stream()
                .flatMap(changes -> changes.changes().stream())
                .filter(change -> change.view() == 2)
                .map(change -> change.commit() + " " + change.value())
                .toList();
        assertThat(toldOfK)
                .as("and at last that it was removed")
                .containsExactly("9 " + FunnelNodes.slice("<9>"), "12 null");
    }

    /** It asks for ever, and would have all removals be kept for ever. */
    @Test
    void whoDoesNotGetOnIsNotWaitedFor() {
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE;
        nodes.pass(Duration.ofSeconds(1), AB);
        a.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.pass(Duration.ofSeconds(30), AB);
        a.put("other", "1");
        nodes.run();
        assertThat(b.context().tables.removals()).as("it may be slow").isEqualTo(1);
        nodes.pass(Duration.ofSeconds(40), AB);
        a.put("other", "2");
        nodes.run();

        assertThat(b.context().tables.removals()).isZero();
        nodes.delivers = sent -> true;
        nodes.pass(Duration.ofSeconds(2), AB);
        assertThat(readyView()).isEqualTo(2);
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isNull();
    }

    /** Of the pages on their way from b. */
    private void deliverFirst(Deque<TestTurn.Sent> pages) {
        TestTurn.Sent page = pages.poll();
        if (page != null) {
            Predicate<TestTurn.Sent> others = nodes.delivers;
            nodes.delivers = sent -> true;
            nodes.deliver(b, page);
            nodes.delivers = others;
        }
    }

    /** Its questions start again below where it was before, which is to get on too. */
    @Test
    void whoBeginsAnewForLongIsWaitedForAndDoesSoOnce() {
        nodes.cutOff("c");
        for (int i = 0; i < 300; i++) {
            a.put("k" + i, "v");
        }
        nodes.run();
        nodes.mend("c");
        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(c.context().progress.applied())
                .isEqualTo(a.context().progress.applied());
        nodes.cutOff("c");
        a.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.pass(Duration.ofSeconds(61), AB);
        a.put("other", "1");
        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(b.context().tables.removals()).isZero();

        b.peers.peer(c.id).full = true;
        b.context().pageBytes = 1;
        Deque<TestTurn.Sent> pages = new ArrayDeque<>();
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || !pages.add(sent);
        nodes.mend("c");
        a.peers.peer(c.id).linked = false;
        c.peers.peer(a.id).linked = false;
        Set<Version> wiped = new LinkedHashSet<>();
        for (int second = 0; second < 120; second++) {
            a.write(FunnelCommand.Kind.REMOVE, "k" + second, null, null, Topology.AUTO);
            nodes.pass(Duration.ofSeconds(1), AB);
            deliverFirst(pages);
            wiped.add(c.context().progress.wiped());
        }
        nodes.delivers = sent -> true;
        pages.forEach(page -> nodes.deliver(b, page));
        nodes.pass(Duration.ofSeconds(2), AB);
        wiped.add(c.context().progress.wiped());

        wiped.remove(Version.NONE);
        assertThat(wiped).as("how often it began anew").hasSize(1);
        assertThat(readyView()).isEqualTo(2);
    }

    /** What it has yet to take grows with the keys, not with what is written to them meanwhile. */
    @Test
    void ofAKeyThatChangesWhileItLearnsOnlyTheNewestIsKept() {
        nodes.pass(Duration.ofSeconds(1), AB);
        b.peers.peer(c.id).full = true;
        b.context().pageBytes = 1;
        Deque<TestTurn.Sent> pages = new ArrayDeque<>();
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || !pages.add(sent);
        int most = 0;
        for (int i = 0; i < 40; i++) {
            a.put("k" + i % 4, "v" + i);
            nodes.run();
            if (i % 2 == 1) {
                deliverFirst(pages);
                nodes.run();
            }
            most = Math.max(most, c.protocol.catchingUp().collected());
        }
        assertThat(most).isBetween(2, 4);
        nodes.delivers = sent -> true;
        pages.forEach(page -> nodes.deliver(b, page));
        nodes.pass(Duration.ofSeconds(2), AB);
        assertThat(c.context().tables.keys()).isEqualTo(5);
        assertThat(c.seen.clean.get(FunnelNodes.key("k3"))).isEqualTo(FunnelNodes.slice("v39"));
    }

    /** It joins with what it had before the transfer that is cut off: all would wait while it takes everything anew. */
    @Test
    void whoJoinsInTheMiddleOfATransferDoesNotBeginAnew() {
        nodes.pass(Duration.ofSeconds(1), AB);
        b.peers.peer(c.id).full = true;
        b.context().pageBytes = 1;
        AtomicInteger pages = new AtomicInteger();
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || pages.getAndIncrement() == 0;
        Version before = c.context().progress.applied();
        a.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        for (int i = 1; i < CatchingUp.BEHIND_MAX; i++) {
            a.put("k" + i, "v");
        }
        nodes.run();
        a.put("other", "1");
        nodes.run();
        a.put("other", "2");
        nodes.run();
        assertThat(c.seen.clean.get(FunnelNodes.key("k")))
                .as("nothing of it is taken")
                .isNotNull();
        assertThat(c.context().progress.applied())
                .as("the transfer is not over")
                .isEqualTo(before);
        assertThat(readyView()).isEqualTo(2);

        nodes.delivers = sent -> true;
        View cab = view(3, "c", "a", "b");
        nodes.grant(cab);
        nodes.pass(Duration.ofSeconds(1), cab);
        assertThat(c.context().progress.wiped()).isEqualTo(Version.NONE);
        nodes.assertSame("a", "b", "c");
    }

    /** Each commit looks at all places, and new nodes may come and go under new names for ever. */
    @Test
    void thePlaceOfALearnerThatIsGoneIsNotKept() {
        nodes.pass(Duration.ofSeconds(1), AB);
        linkOfBAndC(false);
        nodes.pass(Duration.ofSeconds(1), AB);
        nodes.cutOff("c");
        assertThat(a.context().tables.cursors() + b.context().tables.cursors()).isEqualTo(2);
        nodes.pass(Duration.ofSeconds(61), AB);
        a.put("k", "<new>");
        nodes.run();
        assertThat(a.context().tables.cursors()).isZero();
        assertThat(b.context().tables.cursors()).isZero();

        nodes.mend("c");
        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(readyView()).isEqualTo(2);
        assertThat(c.seen.clean.get(FunnelNodes.key("k"))).isEqualTo(FunnelNodes.slice("<new>"));
    }
}
