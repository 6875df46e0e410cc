package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.core.keepers.ViewLedger;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.model.NodeId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the word of a limited peer does, that the stores of two keepers are older ({@code LimitedPeerTest#makesThisStoreCountAsOlder}). */
class StaleWordTest {
    private static final long INCARNATION = 1L << ViewLedger.MILLIS_BITS;
    private final FunnelNodes nodes = new FunnelNodes("a", "b", "c").keptBy("a", "b", "c");
    private long number;

    private void pass(int steps) {
        for (int step = 0; step < steps; step++) {
            for (FunnelNodes.Node node : nodes.all.values()) {
                node.turn.advance(Duration.ofMillis(50));
                long view = FunnelAudit.ledger(node.protocol).number();
                Renewal renewal = new Renewal(node.id, INCARNATION, view, 0, List.of());
                node.protocol.onCommand(new FunnelCommand.AskKeepers(++number, renewal), node.turn);
                node.protocol.onTimer(node.turn);
            }
            nodes.run();
        }
    }

    @Test
    void twoWordsDoNotStopTheKeepers() {
        pass(200);
        hear("a", "b", "c");
        hear("b", "a", "c");

        tell(false);

        assertThat(nodes.all.values()).anyMatch(node -> FunnelAudit.leads(node.protocol));
    }

    /** The one that has not heard of this process may have decided something with a later one. */
    @Test
    void whoWasNotHeardByAllGivesUpItsSeat() {
        pass(200);
        hear("a", "b");
        hear("b", "a");

        tell(false);

        assertThat(nodes.all.values()).noneMatch(node -> FunnelAudit.leads(node.protocol));
    }

    /** It may have gone back to a snapshot of the memory, from before a later process was met. */
    @Test
    void theWordOfAFullNodeCounts() {
        pass(200);
        hear("a", "b", "c");
        hear("b", "a", "c");

        tell(true);

        assertThat(nodes.all.values()).noneMatch(node -> FunnelAudit.leads(node.protocol));
    }

    private void hear(String process, String... keepers) {
        for (String each : keepers) {
            nodes.node(process).peers.peer(NodeId.of(each)).heardSentNanos = 0;
        }
    }

    private void tell(boolean isCertain) {
        for (String each : List.of("a", "b")) {
            nodes.node(each).protocol.onStaleStore(isCertain, nodes.node(each).turn);
        }
        pass(400);
    }
}
