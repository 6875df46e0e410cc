package io.georep.funnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.Topology;
import io.georep.funnel.View;
import io.georep.funnel.ViewMaster;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.model.IndeterminateException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What nodes with replicated maps say to each other, and what comes of it, when all goes well and when it does not. */
class FunnelScenarioTest extends ThreeNodes {
    @Test
    void firstViewOpensAfterAllMembersHaveToldWhatTheyHold() {
        nodes.grant(ABC);

        for (FunnelNodes.Node node : nodes.all.values()) {
            assertThat(node.context().standing.isOpen()).isTrue();
            List<FunnelEvent.Status> statuses = node.turn.events(FunnelEvent.Status.class);
            assertThat(statuses.get(statuses.size() - 1).status().role()).isEqualTo(MapsStatus.Role.SERVING);
            assertThat(node.lastAsk().renewal().activeView()).isEqualTo(1);
        }
    }

    @Test
    void everyMemberMayWriteAndAllReadFromMemory() {
        nodes.grant(ABC);
        a.put("k", "of a");
        nodes.run();
        b.put("l", "of b");
        c.put("m", "of c");
        nodes.run();

        assertThat(a.done()).containsExactly("PUT k of a");
        assertThat(b.done()).containsExactly("PUT l of b");
        assertThat(c.done()).containsExactly("PUT m of c");
        for (FunnelNodes.Node node : nodes.all.values()) {
            assertThat(List.of(node.get("k"), node.get("l"), node.get("m"))).containsExactly("of a", "of b", "of c");
        }
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void writesOfOneKeyAtOneTimeHaveOneOrderEverywhere() {
        nodes.grant(ABC);
        for (int round = 0; round < 20; round++) {
            a.put("k", "a" + round);
            b.put("k", "b" + round);
            c.put("k", "c" + round);
        }
        nodes.run();

        assertThat(a.done()).hasSize(20);
        nodes.assertSame("a", "b", "c");
        assertThat(a.turn.events(FunnelEvent.Changes.class).stream()
                        .flatMap(changes -> changes.changes().stream())
                        .map(FunnelEvent.Change::value)
                        .toList())
                .hasSize(60)
                .isEqualTo(b.turn.events(FunnelEvent.Changes.class).stream()
                        .flatMap(changes -> changes.changes().stream())
                        .map(FunnelEvent.Change::value)
                        .toList());
    }

    @Test
    void conditionsAreDecidedAtTheCommit() {
        nodes.grant(ABC);
        a.write(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "of a", null, Topology.AUTO);
        b.write(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "of b", null, Topology.AUTO);
        nodes.run();
        c.write(FunnelCommand.Kind.REPLACE, "k", "of c", "of b", Topology.AUTO);
        nodes.run();
        c.write(FunnelCommand.Kind.REPLACE, "k", "of c", "of a", Topology.AUTO);
        nodes.run();
        b.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.run();
        b.write(FunnelCommand.Kind.REMOVE, "k", null, null, Topology.AUTO);
        nodes.run();

        assertThat(a.written().get(0).applied()).isTrue();
        assertThat(b.written().get(0).applied()).isFalse();
        assertThat(new String(b.written().get(0).before().toArray())).isEqualTo("of a");
        assertThat(c.written()).extracting(FunnelEvent.Written::applied).containsExactly(false, true);
        assertThat(b.written()).extracting(FunnelEvent.Written::applied).containsExactly(false, true, false);
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void keyThatIsBeingWrittenIsReadAtTheTail() {
        nodes.grant(ABC);
        a.put("k", "old");
        nodes.run();
        b.isStoreSlow = true;
        a.put("k", "new");
        nodes.run();
        assertThat(a.get("k")).isEqualTo("ask");
        assertThat(b.get("k")).isEqualTo("ask");

        b.read("k", "read b");
        c.read("k", "read c");
        nodes.run();

        for (FunnelNodes.Node node : List.of(b, c)) {
            FunnelEvent.Value value = node.turn.events(FunnelEvent.Value.class).get(0);
            assertThat(new String(value.value().toArray())).isEqualTo("old");
        }
        assertThat(a.done()).as("not before all have it").containsExactly("PUT k old");
        b.isStoreSlow = false;
        nodes.run();
        assertThat(a.done()).containsExactly("PUT k old", "PUT k new");
        assertThat(b.get("k")).isEqualTo("new");
    }

    /** In its midst they see what there was before. */
    @Test
    void readersSeeAtTheEndOfATurnWhatItDid() {
        nodes.grant(ABC);
        a.put("k", "old");
        nodes.run();
        nodes.delivers = sent -> sent.type() == FunnelMessages.DATA;
        a.put("k", "new");
        a.protocol.endOfTurn(a.turn);
        a.turn.sent(b.id, FunnelMessages.DATA).forEach(data -> nodes.deliver(a, data));
        assertThat(b.get("k")).isEqualTo("old");

        b.protocol.endOfTurn(b.turn);
        assertThat(b.get("k")).isEqualTo("ask");
    }

    @Test
    void largeValueTravelsInPartsAlongTheChain() {
        nodes.grant(ABC);
        String large = "x".repeat(200_000);
        a.write(FunnelCommand.Kind.PUT, "k", large, null, Topology.CHAIN);
        nodes.run();

        assertThat(a.done()).hasSize(1);
        assertThat(nodes.counts.get(FunnelMessages.PART))
                .as("7 parts over two hops")
                .isEqualTo(14);
        assertThat(c.get("k")).isEqualTo(large);
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void batchOfOneTurnIsOneMessagePerMemberAndOneReport() {
        nodes.grant(ABC);
        nodes.counts.clear();
        for (int i = 0; i < 100; i++) {
            a.put("k" + i, "v");
        }
        nodes.run();

        assertThat(a.done()).hasSize(100);
        assertThat(nodes.counts.get(FunnelMessages.DATA)).isEqualTo(2);
        assertThat(nodes.counts.get(FunnelMessages.REPORT)).as("of a and of b").isEqualTo(2);
        assertThat(nodes.counts.get(FunnelMessages.COMMIT)).isEqualTo(2);
    }

    @Test
    void lostDataReportAndCommitAreMadeUpFor() {
        for (int type : new int[] {FunnelMessages.DATA, FunnelMessages.REPORT, FunnelMessages.COMMIT}) {
            FunnelNodes some = new FunnelNodes("a", "b", "c");
            some.grant(ABC);
            some.delivers = sent -> sent.type() != type;
            some.node("a").put("k", "v");
            some.run();
            some.delivers = sent -> true;
            some.pass(Duration.ofSeconds(3), ABC);

            assertThat(some.node("a").done()).as("type " + type).hasSize(1);
            some.assertSame("a", "b", "c");
        }
    }

    /** No link broke, so nothing else would have the tail ask. */
    @Test
    void lostReportIsAskedForWhenTheNextOneShowsTheGap() {
        nodes.grant(ABC);
        int[] reports = {0};
        nodes.delivers = sent -> sent.type() != FunnelMessages.REPORT || reports[0]++ > 0;
        c.put("k", "1");
        nodes.run();
        assertThat(c.done()).isEmpty();

        c.put("l", "2");
        nodes.run();

        assertThat(c.done()).containsExactlyInAnyOrder("PUT k 1", "PUT l 2");
    }

    @Test
    void writeWithoutAMasterFailsWithinASecond() {
        nodes.grant(ABC);
        nodes.cutOff("c");
        a.put("k", "v");
        nodes.run();
        a.turn.advance(Duration.ofMillis(999));
        assertThat(a.protocol.nextDeadlineNanos()).isLessThanOrEqualTo(a.turn.now() + 1_000_000);
        a.turn.advance(Duration.ofMillis(1));
        a.protocol.onTimer(a.turn);
        a.put("l", "v");
        nodes.run();

        List<FunnelEvent.Failed> failed = a.turn.events(FunnelEvent.Failed.class);
        assertThat(failed)
                .extracting(each -> each.cause().getClass().getSimpleName())
                .containsExactlyInAnyOrder(
                        IndeterminateException.class.getSimpleName(), MapUnavailableException.class.getSimpleName());
        assertThat(a.get("m")).as("clean keys are read until the lease ends").isEqualTo("none");
        a.turn.advance(Duration.ofSeconds(1));
        assertThat(a.get("m")).isEqualTo("ask");
    }

    @Test
    void reportThatOvertakesDataHoldsBackWhatMayComeLater() {
        nodes.grant(ABC);
        nodes.delivers =
                sent -> sent.type() != FunnelMessages.DATA || !sent.to().equals(c.id);
        b.put("k", "earlier");
        nodes.run();
        nodes.delivers = sent -> true;
        a.put("k", "later");
        nodes.run();
        assertThat(c.context().writes.size()).as("only the later one is here").isEqualTo(1);
        assertThat(a.done()).isEmpty();
        nodes.pass(Duration.ofSeconds(3), ABC);

        assertThat(a.done()).containsExactly("PUT k later");
        assertThat(b.done()).containsExactly("PUT k earlier");
        assertThat(c.get("k")).isEqualTo("later");
        nodes.assertSame("a", "b", "c");
    }

    @Test
    void tailWithoutLeaseCommitsNothing() {
        nodes.grant(ABC);
        c.turn.advance(FunnelNodes.LEASE);
        a.put("k", "v");
        nodes.run();
        assertThat(a.done()).isEmpty();
        assertThat(c.get("k")).isEqualTo("ask");
        c.grant(ABC);
        nodes.run();

        assertThat(a.done()).containsExactly("PUT k v");
    }

    /** It took over what the others held, and they have lost their stores: a write needs more copies than its own. */
    @Test
    void tailThatWasToldOfTooFewMembersCommitsNothing() {
        nodes.grant(ABC);
        nodes.delivers = sent -> sent.type() != FunnelMessages.REPORT;
        a.put("k", "v");
        nodes.run();
        assertThat(c.get("k")).isEqualTo("ask");
        View alone = FunnelNodes.view(2, "c");
        tell(c, alone, false);
        assertThat(c.context().isServing()).isTrue();
        assertThat(c.get("k")).as("not committed").isEqualTo("ask");

        tell(c, alone, true);
        assertThat(c.get("k")).isEqualTo("v");
    }

    private void tell(FunnelNodes.Node node, View view, boolean mayWrite) {
        ViewMaster.Grant grant = new ViewMaster.Grant(view, FunnelNodes.LEASE, mayWrite);
        node.protocol.onCommand(new FunnelCommand.Granted(grant, node.turn.now(), node.turn.wallMillis()), node.turn);
        nodes.run();
    }

    @Test
    void writesWaitUntilAllLinksHaveRoom() {
        nodes.grant(ABC);
        a.peers.peer(b.id).full = true;
        a.put("k", "v");
        nodes.run();
        a.put("l", "v");
        nodes.run();
        assertThat(nodes.counts).doesNotContainKey(FunnelMessages.DATA);
        a.protocol.onTimer(a.turn);
        nodes.run();
        assertThat(a.protocol.nextDeadlineNanos())
                .as("a link that gets room makes a turn")
                .isGreaterThan(a.turn.now() + 10_000_000);

        a.peers.peer(b.id).full = false;
        nodes.run();
        assertThat(a.done()).containsExactly("PUT k v", "PUT l v");
    }

    @Test
    void writeOfOperationTakesEffectOnce() {
        nodes.grant(ABC);
        a.retry(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "v", "shop", 1, "first");
        nodes.run();
        b.put("k", "other");
        nodes.run();
        b.retry(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "v", "shop", 1, "again");
        nodes.run();

        assertThat(b.written().get(1).applied()).isTrue();
        assertThat(b.get("k")).isEqualTo("other");
        nodes.assertSame("a", "b", "c");
    }

    /** It may be a time in nanoseconds. The others refused it, and no store that held it could be read. */
    @Test
    void operationsMayHaveAnyNumberThatTheApplicationCanGive() {
        nodes.grant(ABC);
        a.retry(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "v", "shop", Long.MAX_VALUE, "first");
        nodes.run();
        assertThat(a.done()).containsExactly("first");
        nodes.delivers = sent -> sent.type() != FunnelMessages.REPORT;
        a.retry(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "w", "other", Long.MAX_VALUE, "second");
        nodes.run();
        nodes.delivers = sent -> true;
        nodes.all.values().forEach(FunnelNodes.Node::reboot);
        View next = FunnelNodes.view(2, "a", "b", "c");
        nodes.grant(next);
        b.retry(FunnelCommand.Kind.PUT_IF_ABSENT, "k", "v", "shop", Long.MAX_VALUE, "again");
        nodes.run();

        assertThat(b.written().get(0).applied()).isTrue();
        nodes.assertSame("a", "b", "c");
    }
}
