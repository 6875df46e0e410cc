package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Version;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The tail b has committed what the member c was not told; it dies when c has got the first page of that. a joins in its place. */
class CutOffTransferTest extends ThreeNodes {
    private static final View CB = view(2, "c", "b");
    private static final View CA = view(3, "c", "a");

    @BeforeEach
    void aLearns() {
        nodes.grant(ABC);
        b.put("j", "0");
        nodes.run();
        nodes.cutOff("a");
        nodes.grant(CB);
        nodes.mend("a");
        nodes.pass(Duration.ofSeconds(1), CB);
        assertThat(a.lastAsk().renewal().readyView()).isEqualTo(2);
        nodes.cutOff("a");
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT;
    }

    private void operation(long number, String key, String value) {
        b.retry(FunnelCommand.Kind.PUT, key, value, "x", number, key + number);
        nodes.run();
    }

    private void onePageThenDies() {
        AtomicInteger pages = new AtomicInteger();
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || pages.incrementAndGet() == 1;
        b.peers.peer(c.id).full = true; // one page for each question
        c.put("last", "<shows the gap>");
        nodes.run();
        assertThat(pages.get()).isPositive();
        assertThat(c.context().progress.applied()).isEqualTo(new Version(2, 0));
        nodes.cutOff("b");
        nodes.mend("a");
        nodes.delivers = sent -> true;
        nodes.grant(CA);
        nodes.pass(Duration.ofSeconds(1), CA);
        nodes.assertSame("a", "c");
    }

    /** The page has the client's second operation. That is no reason to take the first one for a repetition. */
    @Test
    void anAcknowledgedOperationIsNotTakenForARepetition() {
        operation(1, "j", "1");
        operation(2, "k", "<new>");
        for (String key : List.of("g1", "g2", "g3")) {
            b.put(key, "v".repeat(200_000));
            nodes.run();
        }
        b.write(FunnelCommand.Kind.REPLACE, "j", "2", "1", Topology.AUTO);
        nodes.run();
        assertThat(b.get("j")).isEqualTo("2");

        onePageThenDies();
        assertThat(a.get("j")).isEqualTo("2");
        assertThat(c.get("j")).isEqualTo("2");
        assertThat(a.get("k")).isEqualTo("<new>");
    }

    /** It was ready when the view was decided, and fell far behind since: it does not know that it is a member. */
    @Test
    void whoIsAMemberBeforeItsTransferIsCompleteHasNothingOfIt() {
        operation(1, "j", "1");
        operation(2, "k", "<new>");
        for (int i = 0; i < CatchingUp.BEHIND_MAX; i++) {
            b.put("f" + i, "v");
            nodes.run();
        }
        b.write(FunnelCommand.Kind.REPLACE, "j", "2", "1", Topology.AUTO);
        nodes.run();
        b.context().pageBytes = 1;
        b.peers.peer(a.id).full = true;
        AtomicInteger pages = new AtomicInteger();
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT
                && (sent.type() != FunnelMessages.PAGE || pages.incrementAndGet() <= CatchingUp.BEHIND_MAX);
        nodes.mend("a");
        nodes.run();
        assertThat(pages.get()).isGreaterThan(CatchingUp.BEHIND_MAX);
        assertThat(a.lastAsk().renewal().readyView()).isZero();
        assertThat(a.context().isPartial()).isFalse();
        nodes.cutOff("b");
        nodes.delivers = sent -> true;
        View ac = view(3, "a", "c");
        nodes.grant(ac);
        nodes.pass(Duration.ofSeconds(1), ac);

        assertThat(c.get("j")).isEqualTo("2");
        assertThat(c.get("k")).isEqualTo("<new>");
        nodes.assertSame("a", "c");
    }
}
