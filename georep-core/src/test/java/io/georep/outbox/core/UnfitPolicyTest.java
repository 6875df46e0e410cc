package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import io.georep.spi.PeerSelection;
import io.georep.spi.PeerSelection.Candidate;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Policies of an application that throw or choose nonsense: the node refuses or chooses others, and goes on (rule 6.3.2). */
class UnfitPolicyTest {
    private final TestTurn turn = new TestTurn();
    private OutboxProtocol node;

    private void put(PeerSelection selection, int f) {
        HandMadePeers peers = new HandMadePeers(A);
        List.of(B, C).forEach(peers::peer);
        turn.ensure = id -> peers.peer(id);
        node = new OutboxProtocol(ProtocolConfig.defaults(), peers, selection);
        node.boot(turn.disk(), turn);
        put(f);
    }

    private void put(int f) {
        node.onCommand(
                new OutboxCommand.PutAll(
                        List.of(new OutboxCommand.Put(OutboxFixture.QUEUE, f, Slice.utf8("put"), "token"))),
                turn);
        node.endOfTurn(turn);
    }

    private void isRefused() {
        assertThat(turn.events(OutboxEvent.PutFailed.class))
                .singleElement()
                .satisfies(failed -> assertThat(failed.cause())
                        .isInstanceOfSatisfying(
                                RejectedException.class,
                                rejected -> assertThat(rejected.reason())
                                        .isEqualTo(RejectedException.Reason.TOO_FEW_PEERS)));
    }

    private List<NodeId> owners() {
        return owners(0);
    }

    private List<NodeId> owners(long sequence) {
        return node.inspect()
                .ledger()
                .tables()
                .iterator()
                .next()
                .custodyOf(sequence)
                .owners();
    }

    @Test
    void whoThrowsChoosesNobody() {
        put(
                (candidates, site, count, random) -> {
                    throw new IllegalStateException("unfit");
                },
                1);

        isRefused();
    }

    @Test
    void aPeerThatIsNamedTwiceCountsOnce() {
        put((candidates, site, count, random) -> List.of(candidates.get(1), candidates.get(1), candidates.get(0)), 2);

        assertThat(owners()).containsExactly(A, C, B);
    }

    @Test
    void aPeerThatIsNamedTwiceIsNotTwoPeers() {
        put((candidates, site, count, random) -> List.of(candidates.get(1), candidates.get(1)), 2);

        isRefused();
    }

    @Test
    void strangersAreNotChosen() {
        put(
                (candidates, site, count, random) ->
                        List.of(new Candidate(NodeId.of("stranger"), "", 1), candidates.get(0)),
                1);

        assertThat(owners()).containsExactly(A, B);
    }

    @Test
    void anHeirIsAmongTheOwnersAlthoughThePolicyHasEnoughOthers() {
        put((candidates, site, count, random) -> candidates.subList(0, count), 0);
        node.onCommand(
                new OutboxCommand.HandOver(
                        OutboxFixture.QUEUE, candidate -> candidate.id().equals(C)),
                turn);

        put(1);

        assertThat(owners(1)).containsExactly(A, C);
    }

    @Test
    void nobodyIsAnHeirWhereTheConditionThrows() {
        put(PeerSelection.fixed(List.of(B, C)), 0);
        node.onCommand(
                new OutboxCommand.HandOver(OutboxFixture.QUEUE, candidate -> {
                    throw new IllegalStateException("unfit");
                }),
                turn);

        put(1);

        isRefused();
    }
}
