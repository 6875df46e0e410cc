package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a learner gets on whose links are slow: c, from a and from b. */
class SlowTransferTest extends ThreeNodes {
    private static final View AB = view(1, "a", "b");
    private static final int KEYS = 60;

    private final Deque<TestTurn.Sent> fromA = new ArrayDeque<>();
    private final Deque<TestTurn.Sent> fromB = new ArrayDeque<>();

    /** Each in a page of its own. */
    @BeforeEach
    void keys() {
        nodes.cutOff("c");
        nodes.grant(AB);
        for (int i = 0; i < KEYS; i++) {
            a.put("k" + i, "v");
        }
        nodes.run();
        a.context().pageBytes = 1;
        b.context().pageBytes = 1;
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || !(nodes.sender == a ? fromA : fromB).add(sent);
        nodes.mend("c");
    }

    private boolean isReady() {
        return c.lastAsk().renewal().readyView() == 1;
    }

    /** On each link one page comes every so many seconds. Returns how many came until c is ready, or so many. */
    private int pages(int seconds, int most) {
        int came = 0;
        for (int second = 1; came < most && !isReady(); second++) {
            nodes.pass(Duration.ofSeconds(1), AB);
            if (second % seconds == 0) {
                came += come(a, fromA) + come(b, fromB);
            }
        }
        return came;
    }

    private int come(FunnelNodes.Node from, Deque<TestTurn.Sent> pages) {
        TestTurn.Sent page = pages.poll();
        if (page != null) {
            c.protocol.onMessage(c.peers.peer(from.id), page.type(), new BinReader(page.body()), c.turn);
        }
        return page == null ? 0 : 1;
    }

    /** What is on its way is not sent again and again. */
    @Test
    void whatIsOnASlowLinkIsNotAskedForAgain() {
        assertThat(pages(2, 3 * KEYS)).isLessThan(KEYS + 4 * StateTransfers.WINDOW);
        assertThat(c.context().tables.keys()).isEqualTo(KEYS);
    }

    /** Whom it asks instead is as slow, and no page of the first one would count. */
    @Test
    void aPageMayTakeLongerThanAnybodyIsWaitedFor() {
        nodes.cutOff("a");
        assertThat(isReady()).isFalse();
        nodes.mend("a");
        int came = pages(15, 4 * KEYS);
        assertThat(isReady()).as(came + " pages").isTrue();
        assertThat(c.context().tables.keys()).isEqualTo(KEYS);
    }
}
