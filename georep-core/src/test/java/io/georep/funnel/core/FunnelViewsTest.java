package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.FunnelSettings;
import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Version;
import io.georep.model.IndeterminateException;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of writes and reads when views change, members crash, and nodes join. */
class FunnelViewsTest extends ThreeNodes {
    @Test
    void newTailCommitsWhatTheOldOneLeft() {
        nodes.grant(ABC);
        nodes.delivers = sent -> sent.type() != FunnelMessages.REPORT;
        a.put("k", "v");
        nodes.run();
        assertThat(a.done()).isEmpty();
        nodes.cutOff("c");
        nodes.delivers = sent -> true;
        nodes.grant(view(2, "a", "b"));

        assertThat(a.done()).containsExactly("PUT k v");
        assertThat(b.get("k")).isEqualTo("v");
        nodes.assertSame("a", "b");
    }

    @Test
    void writeOfHeadThatDiedIsDecidedByTheOthers() {
        nodes.grant(ABC);
        nodes.delivers = sent -> sent.type() != FunnelMessages.DATA || sent.to().equals(b.id);
        a.put("k", "orphan");
        nodes.run();
        assertThat(c.context().writes.size()).as("c never got it").isZero();
        nodes.cutOff("a");
        nodes.delivers = sent -> true;
        nodes.grant(view(2, "b", "c"));

        assertThat(c.get("k")).isEqualTo("orphan");
        nodes.assertSame("b", "c");
    }

    @Test
    void commitThatNobodyHeardOfIsMadeAgainBeforeAnybodyReads() {
        nodes.grant(ABC);
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT;
        c.put("k", "v");
        nodes.run();
        assertThat(c.done()).containsExactly("PUT k v");
        nodes.cutOff("c");
        nodes.delivers = sent -> sent.type() != FunnelMessages.REPORT;
        nodes.grant(view(2, "a", "b"));
        b.read("k", "early");
        nodes.run();
        assertThat(b.get("k")).isEqualTo("ask");
        assertThat(b.turn.events(FunnelEvent.Value.class))
                .as("not before the view is open")
                .isEmpty();
        nodes.delivers = sent -> true;
        nodes.pass(Duration.ofSeconds(2), view(2, "a", "b"));

        assertThat(new String(
                        b.turn.events(FunnelEvent.Value.class).get(0).value().toArray()))
                .isEqualTo("v");
        nodes.assertSame("a", "b");
    }

    @Test
    void tailThatMissedCommitsGetsThemFromTheMemberThatHasMost() {
        nodes.grant(ABC);
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.COMMIT || sent.to().equals(a.id);
        a.put("k", "1");
        nodes.run();
        a.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.run();
        b.put("l", "2");
        nodes.run();
        assertThat(a.context().progress.applied().commit()).isEqualTo(3);
        assertThat(b.context().progress.applied().commit()).isZero();
        nodes.cutOff("c");
        nodes.delivers = sent -> true;
        nodes.grant(view(2, "a", "b"));

        assertThat(b.done()).as("b learned of its own write by the transfer").containsExactly("PUT l 2");
        assertThat(b.get("k")).isEqualTo("none");
        assertThat(a.context().progress.applied()).isEqualTo(new Version(2, 0));
        nodes.assertSame("a", "b");
    }

    @Test
    void conditionThatFailedBeforeTheViewChangeStaysFailed() {
        nodes.grant(ABC);
        a.put("k", "x");
        nodes.run();
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.COMMIT || sent.to().equals(a.id);
        a.write(FunnelCommand.Kind.REPLACE, "k", "y", "not x", Topology.AUTO);
        nodes.run();
        assertThat(a.written().get(1).applied()).isFalse();
        nodes.cutOff("c");
        nodes.delivers = sent -> true;
        nodes.grant(view(2, "a", "b"));

        assertThat(b.get("k")).isEqualTo("x");
        nodes.assertSame("a", "b");
    }

    @Test
    void framesOfOlderViewsAreRefused() {
        nodes.grant(ABC);
        List<TestTurn.Sent> late = new ArrayList<>();
        nodes.delivers = sent -> {
            if (sent.type() == FunnelMessages.DATA || sent.type() == FunnelMessages.COMMIT) {
                late.add(sent);
                return false;
            }
            return true;
        };
        c.put("k", "v");
        nodes.run();
        nodes.cutOff("c");
        nodes.delivers = sent -> true;
        nodes.grant(view(2, "a", "b"));
        nodes.cutOff.clear();
        assertThat(late).isNotEmpty();
        late.forEach(sent -> nodes.deliver(c, sent));
        nodes.run();

        assertThat(a.get("k")).isEqualTo("none");
        nodes.assertSame("a", "b");
    }

    @Test
    void everythingCommittedIsThereAfterAllCrashedAtOnce() {
        nodes.grant(ABC);
        for (int i = 0; i < 50; i++) {
            nodes.node(List.of("a", "b", "c").get(i % 3)).put("k" + i, "v" + i);
        }
        nodes.run();
        assertThat(a.done()).hasSize(17);
        b.put("late", "v");
        b.protocol.endOfTurn(b.turn);
        b.turn.completeStore();
        nodes.all.values().forEach(FunnelNodes.Node::reboot);
        assertThat(a.get("k0")).as("before the view").isEqualTo("ask");
        assertThat(a.lastAsk().renewal().activeView()).isEqualTo(1);
        nodes.grant(view(2, "a", "b", "c"));

        assertThat(c.get("k7")).isEqualTo("v7");
        assertThat(c.get("late")).as("it was durable on one member").isEqualTo("v");
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void nodeLearnsWhileWritesGoOnAndThenJoins() {
        View ab = view(1, "a", "b");
        nodes.grant(ab);
        for (int i = 0; i < 10_000; i++) {
            a.put("k" + i, "v" + i);
            if (i % 1000 == 999) {
                nodes.run();
            }
        }
        nodes.pass(Duration.ofSeconds(2), ab);
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(1);
        assertThat(c.get("k1")).as("a learner answers nobody").isEqualTo("ask");
        a.put("k1", "newer");
        nodes.run();
        assertThat(new String(c.seen.clean.get(FunnelNodes.key("k1")).toArray()))
                .isEqualTo("newer");
        nodes.grant(view(2, "c", "a", "b"));

        assertThat(c.get("k1")).isEqualTo("newer");
        assertThat(c.get("k9999")).isEqualTo("v9999");
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void learnerThatMissedForgottenRemovalsBeginsAnew() {
        nodes.grant(ABC);
        c.put("gone", "v");
        c.put("kept", "v");
        nodes.run();
        nodes.cutOff("c");
        View ab = view(2, "a", "b");
        nodes.grant(ab);
        a.write(FunnelCommand.Kind.REMOVE, "gone", null, null, Topology.AUTO);
        nodes.run();
        nodes.pass(Duration.ofSeconds(3), ab);
        a.put("other", "v");
        nodes.pass(Duration.ofSeconds(3), ab);
        assertThat(b.context().tables.removals()).as("removals are forgotten").isZero();
        assertThat(b.context().progress.horizon()).isGreaterThan(new Version(2, 0));
        nodes.mend("c");
        nodes.grant(ab);
        nodes.pass(Duration.ofSeconds(1), ab);
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(2);
        assertThat(c.lastAsk().renewal().activeView())
                .as("its own state was dropped")
                .isZero();
        nodes.grant(view(3, "c", "a", "b"));

        assertThat(c.get("gone")).isEqualTo("none");
        assertThat(c.get("kept")).isEqualTo("v");
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void nodeThatWasTakenOutStopsAndItsWritesAreInDoubt() {
        nodes.grant(ABC);
        nodes.delivers = sent -> sent.type() != FunnelMessages.DATA;
        a.put("k", "v");
        nodes.run();
        a.grant(view(2, "b", "c"));
        nodes.run();

        assertThat(a.turn.events(FunnelEvent.Failed.class).get(0).cause()).isInstanceOf(IndeterminateException.class);
        assertThat(a.get("l")).isEqualTo("ask");
        a.put("l", "v");
        nodes.run();
        assertThat(((MapUnavailableException)
                                a.turn.events(FunnelEvent.Failed.class).get(1).cause())
                        .reason())
                .isEqualTo(MapUnavailableException.Reason.NO_VIEW);
    }

    @Test
    void writesWaitWhileTheMembersCompare() {
        a.grant(ABC);
        a.put("k", "v");
        nodes.run();
        assertThat(a.context().writes.size()).isZero();
        nodes.grant(ABC);

        assertThat(a.done()).containsExactly("PUT k v");
    }

    @Test
    void newerViewDuringTheFlushStartsItAgain() {
        nodes.grant(ABC);
        nodes.delivers = sent -> sent.type() != FunnelMessages.VIEW_START && sent.type() != FunnelMessages.REPORT;
        a.put("k", "v");
        nodes.run();
        nodes.grant(view(2, "b", "a", "c"));
        assertThat(a.context().standing.phase()).isEqualTo(Standing.Phase.FLUSHING);
        nodes.delivers = sent -> true;
        nodes.grant(view(3, "c", "b", "a"));

        assertThat(a.done()).containsExactly("PUT k v");
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void keyIsRemovedWhenItsTimeHasCome() {
        nodes.grant(ABC);
        a.protocol.onCommand(
                new FunnelCommand.Write(
                        FunnelCommand.Kind.PUT,
                        FunnelNodes.key("k"),
                        FunnelNodes.slice("v"),
                        null,
                        5000,
                        null,
                        0,
                        Topology.AUTO,
                        "put"),
                a.turn);
        nodes.run();
        nodes.pass(Duration.ofSeconds(4), ABC);
        assertThat(b.get("k")).isEqualTo("v");
        nodes.pass(Duration.ofSeconds(2), ABC);

        assertThat(b.get("k")).isEqualTo("none");
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void keyWhoseTimeHasComeStaysAwayWhenAnotherTailCommitsAgain() {
        nodes.grant(ABC);
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT;
        c.protocol.onCommand(
                new FunnelCommand.Write(
                        FunnelCommand.Kind.PUT,
                        FunnelNodes.key("k"),
                        FunnelNodes.slice("v"),
                        null,
                        100,
                        null,
                        0,
                        Topology.AUTO,
                        "put"),
                c.turn);
        nodes.run();
        c.turn.advance(Duration.ofMillis(200));
        c.protocol.onTimer(c.turn);
        nodes.run();
        assertThat(c.get("k")).as("at the old tail").isEqualTo("none");
        nodes.cutOff("c");
        nodes.delivers = sent -> true;
        nodes.grant(view(2, "a", "b"));

        assertThat(b.get("k")).isEqualTo("none");
        nodes.assertSame("a", "b");
    }

    @Test
    void laterProcessHasAGreaterIncarnation() {
        long first = a.lastAsk().renewal().incarnation();
        a.reboot();
        long second = a.lastAsk().renewal().incarnation();
        a.turn.advance(Duration.ofMillis(1));
        a.protocol.onStaleStore(true, a.turn);
        a.protocol.endOfTurn(a.turn);

        assertThat(second).isGreaterThan(first);
        assertThat(a.lastAsk().renewal().incarnation()).isGreaterThan(second);
        assertThat(a.lastAsk().now()).isTrue();
    }

    @Test
    void oldestClientsAreForgotten() {
        FunnelNodes some = new FunnelNodes(FunnelSettings.defaults().clientsMax(2), "a", "b");
        some.grant(view(1, "a", "b"));
        FunnelNodes.Node one = some.node("a");
        for (String client : List.of("x", "y", "z")) {
            one.retry(FunnelCommand.Kind.PUT_IF_ABSENT, client, "v", client, 1, client);
            some.run();
        }

        for (FunnelNodes.Node node : some.all.values()) {
            assertThat(node.context().tables.client("x")).isNull();
            assertThat(node.context().tables.client("y")).isNotNull();
        }
    }
}
