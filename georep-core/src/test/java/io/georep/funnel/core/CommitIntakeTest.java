package io.georep.funnel.core;

import static io.georep.funnel.core.FunnelNodes.view;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.Runs;
import io.georep.funnel.core.messages.Version;
import io.georep.model.NodeId;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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

    /**
     * What came of the transfer is older than a commit that is applied now may be: a value would come back after its removal was
     * forgotten. Nor do records of clients that came decide over commits, here or in the next view.
     */
    @Test
    void noCommitIsAppliedWhileATransferIsNotComplete() {
        FunnelNodes nodes = new FunnelNodes("a", "b", "c");
        FunnelNodes.Node a = nodes.node("a");
        FunnelNodes.Node c = nodes.node("c");
        nodes.grant(ABC);
        List<TestTurn.Sent> late = new ArrayList<>();
        nodes.delivers = sent -> {
            boolean isLate = sent.type() == FunnelMessages.COMMIT && sent.to().equals(a.id);
            return !isLate || !late.add(sent);
        };
        c.retry(FunnelCommand.Kind.PUT, "x", "v1", "shop", 1, "first");
        nodes.run();
        c.retry(FunnelCommand.Kind.PUT, "y", "w", "shop", 2, "second");
        nodes.run();
        for (String key : List.of("g1", "g2", "g3")) {
            c.put(key, "v".repeat(200_000));
            nodes.run();
        }
        assertThat(late).hasSize(5);
        nodes.delivers = sent -> sent.type() != FunnelMessages.COMMIT;
        c.write(FunnelCommand.Kind.REPLACE, "x", "v6", "v1", Topology.AUTO);
        nodes.run();
        assertThat(c.get("x")).isEqualTo("v6");
        AtomicInteger pages = new AtomicInteger();
        nodes.delivers = sent -> sent.type() != FunnelMessages.PAGE || pages.incrementAndGet() == 1;
        c.peers.peer(a.id).full = true; // one page for each question
        nodes.deliver(c, late.get(4));
        nodes.run();
        assertThat(pages.get()).isPositive();

        nodes.deliver(c, late.get(0));
        nodes.run();
        assertThat(a.context().progress.applied()).isEqualTo(new Version(1, 0));
        nodes.cutOff("c");
        nodes.delivers = sent -> true;
        View ab = view(2, "a", "b");
        nodes.grant(ab);
        nodes.pass(Duration.ofSeconds(1), ab);
        assertThat(a.get("x")).isEqualTo("v6");
        nodes.assertSame("a", "b");
    }
}
