package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.Topology;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A view begins with many writes of several heads, made at the same time. */
class ManyWritesTest {
    private static final int WRITES = 200;
    private static final Set<Integer> TELL =
            Set.of(FunnelMessages.FLUSH, FunnelMessages.VIEW_START, FunnelMessages.FETCH);
    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c", "d");
    private final FunnelNodes.Node a = nodes.node("a");
    private final FunnelNodes.Node b = nodes.node("b");
    private final AtomicInteger groups = new AtomicInteger();
    private int longest;

    /** Their stamps take turns, their names do not: a message that names each of them may be longer than any link takes. */
    @Test
    void theyAreToldAndFetchedAsRangesAndCommittedInTheOrderOfTheirStamps() {
        writes();
        theNextViewBegins();
    }

    /** A store has them in the order in which they came. */
    @Test
    void soTheyAreByMembersThatWereRestarted() {
        writes();
        a.reboot();
        b.reboot();
        theNextViewBegins();
    }

    private void writes() {
        nodes.cutOff("d");
        nodes.grant(view(1, "a", "b", "c"));
        nodes.mend("d");
        nodes.pass(Duration.ofSeconds(1), view(1, "a", "b", "c"));
        nodes.delivers = sent -> sent.type() != FunnelMessages.REPORT;
        for (int i = 0; i < WRITES; i++) {
            (i % 2 == 0 ? a : b).write(FunnelCommand.Kind.PUT, "k" + i, "v", null, Topology.STAR);
            nodes.run();
            (i % 2 == 0 ? b : a).write(FunnelCommand.Kind.PUT, "same", "v" + i, null, Topology.STAR);
            nodes.run();
        }
        assertThat(b.context().writes.size()).isEqualTo(2 * WRITES);
    }

    private void theNextViewBegins() {
        nodes.delivers = sent -> {
            groups.addAndGet(sent.type() == FunnelMessages.GROUP ? 1 : 0);
            longest = Math.max(longest, TELL.contains(sent.type()) ? sent.body().length() : 0);
            return true;
        };
        nodes.grant(view(2, "d", "a", "b", "c"));
        nodes.pass(Duration.ofSeconds(1), view(2, "d", "a", "b", "c"));

        nodes.assertSame("a", "b", "c", "d");
        assertThat(a.context().tables.keys()).isEqualTo(WRITES + 1);
        assertThat(a.get("same")).isEqualTo("v" + (WRITES - 1));
        assertThat(longest).as("bytes of a message that names them").isBetween(1, 100);
        assertThat(groups.get()).as("groups to the one that joined").isLessThan(2 * WRITES);
    }
}
