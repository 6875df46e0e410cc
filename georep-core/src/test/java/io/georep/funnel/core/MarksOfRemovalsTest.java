package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Version;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many marks of removals are kept for c and d, which are no members: c is slow, d follows. */
class MarksOfRemovalsTest {
    private static final int KEYS_MAX = 20;
    private static final View AB = view(1, "a", "b");

    private final FunnelNodes nodes =
            new FunnelNodes(FunnelSettings.defaults().bounds(KEYS_MAX, 1 << 20, 1000), "a", "b", "c", "d");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node b = nodes.node("b");
    private final FunnelNodes.Node c = nodes.node("c");
    private final FunnelNodes.Node d = nodes.node("d");

    /** On their way from b to c. */
    private final Deque<TestTurn.Sent> pages = new ArrayDeque<>();

    private final Set<Version> wiped = new LinkedHashSet<>();
    private int removed;

    /** Both learn from b, and c gets a page with one commit now and then. */
    @BeforeEach
    void fifteenKeys() {
        nodes.cutOff("c");
        nodes.cutOff("d");
        nodes.grant(AB);
        for (int i = 0; i < 15; i++) {
            a.put("k" + i, "v");
        }
        nodes.run();
        b.peers.peer(c.id).full = true;
        b.context().pageBytes = 1;
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.PAGE || !sent.to().equals(c.id) || !pages.add(sent);
        nodes.mend("c");
        nodes.mend("d");
        a.peers.peer(c.id).linked = false;
        c.peers.peer(a.id).linked = false;
        nodes.pass(Duration.ofSeconds(2), AB);
        assertThat(readyView(d)).isEqualTo(1);
        wiped.add(c.context().progress.wiped());
    }

    private static long readyView(FunnelNodes.Node node) {
        return node.lastAsk().renewal().readyView();
    }

    private void removals(int count) {
        for (int i = 0; i < count; i++) {
            a.write(FunnelCommand.Kind.REMOVE, "r" + removed++, null, null, Topology.AUTO);
        }
    }

    private void cGetsAPage() {
        TestTurn.Sent page = pages.poll();
        if (page != null) {
            Predicate<TestTurn.Sent> others = nodes.delivers;
            nodes.delivers = sent -> true;
            nodes.deliver(b, page);
            nodes.delivers = others;
            wiped.add(c.context().progress.wiped());
        }
    }

    private List<Integer> marks() {
        List<Integer> marks = new ArrayList<>();
        List.of(a, b, d).forEach(node -> marks.add(node.context().tables.removals()));
        return marks;
    }

    /** It gets on, but more is removed in that time than it gets. */
    @Test
    void aLearnerThatNeverCatchesUpIsWaitedForUpToABound() {
        List<Integer> most = new ArrayList<>(marks());
        for (int second = 0; second < 5 * KEYS_MAX; second++) {
            removals(2);
            nodes.pass(Duration.ofSeconds(1), AB);
            cGetsAPage();
            most.addAll(marks());
        }

        assertThat(most).as("marks on all").allMatch(marks -> marks <= KEYS_MAX + 4);
        assertThat(most).as("it is waited for").anyMatch(marks -> marks > KEYS_MAX - 4);
        assertThat(d.context().progress.wiped())
                .as("who follows is still waited for")
                .isEqualTo(Version.NONE);
        assertThat(readyView(d)).isEqualTo(1);
    }

    /** While it takes everything anew it has the whole bound before it. */
    @Test
    void whoIsNotWaitedForBeginsAnewOnce() {
        removals(KEYS_MAX + 2);
        for (int second = 0; second < 60; second++) {
            removals(second % 4 == 0 ? 1 : 0);
            nodes.pass(Duration.ofSeconds(1), AB);
            cGetsAPage();
        }

        wiped.remove(Version.NONE);
        assertThat(wiped).as("how often it began anew").hasSize(1);
        assertThat(readyView(c)).isEqualTo(1);
        assertThat(c.context().tables.keys()).isEqualTo(15);
    }

    /** What it was never sent it need not hear of: the keys that come and go while it takes everything anew. */
    @Test
    void whoBeginsAnewComesToTheEndWhereMoreIsRemovedMeanwhileThanIsKept() {
        int most = 0;
        for (int second = 0; second < 60; second++) {
            a.put("s" + second, "v");
            nodes.run();
            a.write(FunnelCommand.Kind.REMOVE, "s" + second, null, null, Topology.AUTO);
            if (second >= 15 && second % 3 == 0 && second < 40) {
                a.write(
                        FunnelCommand.Kind.REMOVE,
                        "k" + (second - 15) / 3,
                        null,
                        null,
                        Topology.AUTO); // c has some of them
            }
            removals(3);
            nodes.pass(Duration.ofSeconds(1), AB);
            cGetsAPage();
            cGetsAPage();
            most = Math.max(most, b.context().tables.removals());
        }
        pages.clear();
        nodes.delivers = sent -> true;
        nodes.pass(Duration.ofSeconds(2), AB);

        wiped.remove(Version.NONE);
        assertThat(wiped).as("how often it began anew").hasSize(1);
        assertThat(readyView(c)).isEqualTo(1);
        assertThat(c.context().tables.keys()).isEqualTo(b.context().tables.keys());
        assertThat(c.seen.clean.get(FunnelNodes.key("k1")))
                .as("removed after it came")
                .isNull();
        assertThat(c.seen.clean.get(FunnelNodes.key("k14"))).isNotNull();
        assertThat(most).isBetween(KEYS_MAX, 2 * KEYS_MAX);
    }

    /** It takes less than is written for ever. Each mark that it gets stands for a key that it has, and goes with it. */
    @Test
    void whoIsForEverBehindKeepsNoMarks() {
        removals(KEYS_MAX + 2);
        int onB = 0;
        int onC = 0;
        for (int second = 0; second < 200; second++) {
            a.put("k" + (15 + second), "v");
            a.write(FunnelCommand.Kind.REMOVE, "k" + second, null, null, Topology.AUTO);
            nodes.pass(Duration.ofSeconds(1), AB);
            cGetsAPage();
            onB = Math.max(onB, b.context().tables.removals());
            onC = Math.max(onC, c.context().tables.removals());
        }
        wiped.remove(Version.NONE);
        assertThat(wiped).as("how often it began anew").hasSize(1);
        assertThat(onB).isLessThan(2 * KEYS_MAX + 4);
        assertThat(onC).isLessThan(KEYS_MAX);
    }

    /** One that follows holds them for a minute, which may be long where much is removed. */
    @Test
    void whoFollowsAndIsSilentIsWaitedForUpToTwiceTheBound() {
        nodes.cutOff("c");
        nodes.delivers = sent -> !sent.to().equals(d.id) && sent.type() != FunnelMessages.CATCH_UP;
        int most = 0;
        for (int i = 0; i < 3 * KEYS_MAX; i++) {
            removals(1);
            nodes.pass(Duration.ofMillis(200), AB);
            most = Math.max(most, b.context().tables.removals());
        }

        assertThat(most).isBetween(2 * KEYS_MAX - 4, 2 * KEYS_MAX + 4);
    }

    /** What lies between two removals of a key is not kept. */
    @Test
    void aKeyThatIsRemovedOverAndOverHasOneMark() {
        for (int i = 0; i < 3 * KEYS_MAX; i++) {
            a.put("lock", "held");
            a.write(FunnelCommand.Kind.REMOVE, "lock", null, null, Topology.AUTO);
            nodes.run();
        }
        nodes.pass(Duration.ofSeconds(1), AB);
        assertThat(b.context().tables.removals()).isEqualTo(1);
        cGetsAPage();
        assertThat(wiped).as("it did not begin anew").containsExactly(Version.NONE);
    }

    /** It may not join, for it does not reach all members; and keeps no more than these. */
    @Test
    void whoFollowsForEverForgetsRemovalsToo() {
        nodes.cutOff("c");
        nodes.pass(Duration.ofSeconds(61), AB);
        for (int i = 0; i < 10; i++) {
            removals(1);
            nodes.pass(Duration.ofSeconds(1), AB);
        }
        assertThat(marks()).as("marks on a, b, d").allMatch(marks -> marks <= 3);
        d.reboot();
        assertThat(d.context().tables.removals()).isLessThanOrEqualTo(3);
    }
}
