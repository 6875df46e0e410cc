package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.Version;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a node does with a view that does not follow on the one that it knows, and what it tells those who wait. */
class ForgottenViewTest extends ThreeNodes {
    @BeforeEach
    void aValue() {
        nodes.grant(ABC);
        a.put("k", "<old>");
        nodes.run();
    }

    private static void grant(FunnelNodes.Node node, View view) {
        ViewMaster.Grant grant = new ViewMaster.Grant(view, FunnelNodes.LEASE, true);
        node.protocol.onCommand(new FunnelCommand.Granted(grant, node.turn.now(), node.turn.wallMillis()), node.turn);
        node.protocol.endOfTurn(node.turn);
    }

    /** The master forgot a view before it began, and made another one with its number. One that began is not taken for another. */
    @Test
    void otherMembersUnderTheSameNumberAreANewView() {
        nodes.cutOff("a");
        nodes.delivers = sent -> false;
        nodes.grant(view(2, "b", "c"));
        nodes.mend("a");
        View other = view(2, "a", "c", "b");
        grant(c, other);

        assertThat(c.context().standing.view()).isEqualTo(other);
        assertThat(c.context().standing.phase()).isEqualTo(Standing.Phase.FLUSHING);
        assertThat(c.get("k")).as("it may have been out of a view").isEqualTo("ask");
        nodes.delivers = sent -> true;
        nodes.grant(other);
        a.put("k", "<new>");
        nodes.run();
        assertThat(c.get("k")).isEqualTo("<new>");
        nodes.assertSame("a", "b", "c");
        grant(c, view(2, "b", "c"));
        assertThat(c.context().standing.view()).isEqualTo(other);
    }

    private static List<MapUnavailableException.Reason> refusals(FunnelNodes.Node node) {
        return node.turn.events(FunnelEvent.Failed.class).stream()
                .map(failed -> ((MapUnavailableException) failed.cause()).reason())
                .toList();
    }

    /** It waited for the view to open when the node was taken out; the master answers all the time. */
    @Test
    void aWaitingWriteOfWhoIsNoMemberAnyMoreFailsForThatReason() {
        nodes.delivers = sent -> false;
        grant(c, view(2, "a", "b", "c"));
        c.put("k", "<waits>");
        nodes.turn(c);
        assertThat(refusals(c)).isEmpty();
        grant(c, view(3, "a", "b"));
        c.turn.advance(Duration.ofMillis(1));
        c.protocol.onTimer(c.turn);
        c.protocol.endOfTurn(c.turn);

        assertThat(refusals(c)).containsExactly(MapUnavailableException.Reason.NO_VIEW);
    }

    /** It has learned, but was in no view with it. */
    @Test
    void whoHasContentTakesNoViewOfAMasterThatKnowsLess() {
        FunnelNodes others = new FunnelNodes("a", "b", "c");
        FunnelNodes.Node learner = others.node("c");
        others.grant(view(57, "a", "b"));
        others.node("a").put("k", "<kept>");
        others.run();
        learner.reboot();
        assertThat(learner.context().standing.activeView()).isZero();
        assertThat(learner.context().progress.applied()).isEqualTo(new Version(57, 1));

        grant(learner, view(1, "c"));
        assertThat(learner.context().standing.view()).isNull();
        assertThat(learner.context().hasLease(learner.turn)).isFalse();
        learner.put("k", "<new>");
        assertThat(learner.turn.events(FunnelEvent.Failed.class).get(0).cause())
                .hasMessageContaining("no view that is as new as what it holds, which is of view 57");
        grant(learner, view(58, "c", "a", "b"));
        assertThat(learner.context().standing.rank()).isZero();
    }
}
