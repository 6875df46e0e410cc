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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The learner c begins anew at the tail b, goes on with a when its link to b breaks, and comes back: with keys that b had not sent. */
class WipedLearnerTest extends ThreeNodes {
    private static final View AB = view(2, "a", "b");
    private static final int KEYS = 50;
    private static final String LAST = "k" + (KEYS - 1);

    /** On their way from b to c. */
    private final Deque<TestTurn.Sent> pages = new ArrayDeque<>();

    @BeforeEach
    void cWasAtTheTailAndHasMoreFromA() {
        nodes.grant(ABC);
        a.put("k", "<old>");
        nodes.run();
        nodes.cutOff("c");
        nodes.grant(AB);
        for (int i = 0; i < KEYS; i++) {
            a.put("k" + i, "v");
        }
        remove("k");
        nodes.pass(Duration.ofSeconds(61), AB); // nobody waits for c
        a.put("other", "1");
        nodes.pass(Duration.ofSeconds(1), AB);
        Version forgotten = b.context().progress.horizon();
        assertThat(forgotten)
                .isNotEqualTo(Version.NONE)
                .isEqualTo(a.context().progress.horizon());

        for (FunnelNodes.Node member : new FunnelNodes.Node[] {a, b}) {
            member.context().pageBytes = 1;
            member.peers.peer(c.id).full = true;
        }
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || nodes.sender != b || !pages.add(sent);
        nodes.mend("c");
        nodes.grant(AB);
        bDelivers(2);
        assertThat(c.context().progress.wiped()).isEqualTo(forgotten);
        assertThat(c.seen.clean.get(FunnelNodes.key(LAST))).isNull();

        linkOfBAndC(false);
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || !cHas(LAST);
        nodes.pass(Duration.ofSeconds(11), AB);
        assertThat(cHas(LAST)).isTrue();
        assertThat(c.context().progress.applied())
                .as("a's transfer is not over")
                .isEqualTo(Version.NONE);
    }

    private void remove(String key) {
        a.write(FunnelCommand.Kind.REMOVE, key, null, null, Topology.AUTO);
        nodes.run();
    }

    private boolean cHas(String key) {
        return c.seen.clean.get(FunnelNodes.key(key)) != null;
    }

    private void linkOfBAndC(boolean isUp) {
        b.peers.peer(c.id).linked = isUp;
        c.peers.peer(b.id).linked = isUp;
    }

    private void bDelivers(int count) {
        Predicate<TestTurn.Sent> others = nodes.delivers;
        for (int i = 0; i < count; i++) {
            nodes.delivers = sent -> true;
            nodes.deliver(b, pages.remove());
            nodes.delivers = others;
            nodes.run();
        }
    }

    private void cComesBack() {
        pages.clear();
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || nodes.sender != b || !pages.add(sent);
        linkOfBAndC(true);
        b.peers.peer(c.id).full = false; // or b takes its question for a repeated one
        c.protocol.onPeerReachable(c.peers.peer(b.id), c.turn);
        nodes.run();
    }

    private void theRemovalIsForgotten() {
        Version before = b.context().progress.horizon();
        remove(LAST);
        nodes.pass(Duration.ofSeconds(1), AB);
        a.put("other", "2");
        nodes.run();
        assertThat(b.context().progress.horizon()).isNotEqualTo(before);
    }

    private void theKeyIsGone() {
        nodes.delivers = sent -> true;
        pages.forEach(page -> nodes.deliver(b, page));
        nodes.pass(Duration.ofSeconds(2), AB);
        assertThat(c.lastAsk().renewal().readyView()).isEqualTo(2);
        assertThat(cHas(LAST)).isFalse();
        View cab = view(3, "c", "a", "b");
        nodes.grant(cab);
        nodes.pass(Duration.ofSeconds(1), cab);
        nodes.assertSame("a", "b", "c");
    }

    /** b forgot the removal, for it had not sent this key. */
    @Test
    void aKeyThatIsRemovedWhileItIsElsewhereIsGone() {
        theRemovalIsForgotten();
        cComesBack();
        theKeyIsGone();
    }

    /** b keeps the removal until it has sent it, though it has not sent this key. */
    @Test
    void aKeyThatIsRemovedAfterItCameBackIsGone() {
        cComesBack();
        Version before = b.context().progress.horizon();
        bDelivers(1);
        b.peers.peer(c.id).full = true;
        remove(LAST);
        nodes.pass(Duration.ofSeconds(1), AB);
        a.put("other", "2");
        nodes.run();
        theKeyIsGone();
        assertThat(b.context().progress.horizon()).isNotEqualTo(before);
    }
}
