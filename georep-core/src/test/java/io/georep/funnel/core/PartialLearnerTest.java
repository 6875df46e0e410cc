package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Version;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The learner c has parts of a transfer of the tail b when that dies. With them it must not become a member. */
class PartialLearnerTest extends ThreeNodes {
    private static final View AB = view(1, "a", "b");
    private static final View CA = view(2, "c", "a");

    private final AtomicInteger pages = new AtomicInteger();

    @BeforeEach
    void cWillLearn() {
        nodes.cutOff("c");
        nodes.grant(AB);
        b.put("j", "0");
        nodes.run();
        b.context().pageBytes = 1; // a page for each commit, and one page for each question
        b.peers.peer(c.id).full = true;
    }

    /** All are acknowledged. The first commit has the client's second operation and not the key of the first. */
    private void operations() {
        b.retry(FunnelCommand.Kind.PUT, "j", "1", "x", 1, "1");
        nodes.run();
        b.retry(FunnelCommand.Kind.PUT, "k", "<new>", "x", 2, "2");
        nodes.run();
        b.write(FunnelCommand.Kind.REPLACE, "j", "2", "1", Topology.AUTO);
        nodes.run();
        assertThat(b.get("j")).isEqualTo("2");
    }

    private void nothingIsLost() {
        nodes.grant(CA);
        nodes.pass(Duration.ofSeconds(1), CA);
        assertThat(a.get("j")).isEqualTo("2");
        assertThat(c.get("j")).isEqualTo("2");
        assertThat(c.get("k")).isEqualTo("<new>");
        nodes.assertSame("a", "c");
    }

    @Test
    void whoGoesOnWithAMemberThatHasLessBeginsAnew() {
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT
                && (sent.type() != FunnelMessages.PAGE || pages.incrementAndGet() == 1);
        operations();
        nodes.mend("c");
        nodes.grant(AB);
        assertThat(c.context().isPartial()).isTrue();
        assertThat(a.context().progress.applied()).isEqualTo(new Version(1, 1));
        nodes.cutOff("b");
        nodes.delivers = sent -> true;

        nodes.pass(Duration.ofSeconds(12), AB);
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(1);
        assertThat(c.context().isPartial()).isFalse();
        nothingIsLost();
    }

    /** It will say that it is ready as soon as its disk has what came. */
    @Test
    void whoIsAboutToBeReadyTakesNoParts() {
        List<TestTurn.Sent> questions = new ArrayList<>();
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT
                && (sent.type() != FunnelMessages.CATCH_UP || questions.add(sent))
                && (sent.type() != FunnelMessages.PAGE || pages.incrementAndGet() <= 2);
        nodes.mend("c");
        c.grant(AB);
        c.protocol.endOfTurn(c.turn);
        nodes.turn(c);
        c.isStoreSlow = true;
        nodes.run();
        assertThat(questions).hasSize(1);
        assertThat(c.context().progress.applied()).isEqualTo(new Version(1, 1));

        operations();
        b.peers.peer(c.id).full = false;
        nodes.deliver(c, questions.get(0)); // it was sent again before the page had come
        nodes.run();
        assertThat(pages.get()).isGreaterThan(1);
        c.isStoreSlow = false;
        nodes.run();
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(1);
        nodes.cutOff("b");
        nodes.delivers = sent -> true;
        nothingIsLost();
    }
}
