package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.funnel.View;
import io.georep.model.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Commits that a member did not expect. */
class CommitIntakeTest {
    private static final View ABC = view(1, "a", "b", "c");

    /** MapsFuzz found it: the member and the tail asked and answered each other without end. */
    @Test
    void commitOfWritesThatNobodyHasIsAskedForTwiceAndNoMore() {
        FunnelNodes nodes = new FunnelNodes("a", "b", "c");
        nodes.grant(ABC);
        nodes.node("a").put("k", "v");
        nodes.run();
        nodes.counts.clear();
        Runs runs = new Runs();
        runs.add(1, 63, 5);
        BinWriter body = new BinWriter().varint(1);
        FunnelMessages.commit(body, 1, 0, Version.NONE, runs);
        FunnelNodes.Node a = nodes.node("a");

        a.protocol.onMessage(
                a.peers.peer(NodeId.of("b")), FunnelMessages.COMMIT, new BinReader(body.toSlice()), a.turn);
        nodes.run();
        nodes.pass(Duration.ofSeconds(3), ABC);

        assertThat(nodes.counts.getOrDefault(FunnelMessages.CATCH_UP, 0)).isBetween(1, 2);
        a.put("k", "w");
        nodes.node("b").put("l", "x");
        nodes.pass(Duration.ofSeconds(1), ABC);
        nodes.assertSame("a", "b", "c");
        assertThat(a.get("k")).isEqualTo("w");
        assertThat(a.get("l")).isEqualTo("x");
    }
}
