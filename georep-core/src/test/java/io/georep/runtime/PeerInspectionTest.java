package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Channels;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.StoreState;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PeerInspectionTest {
    private static final NodeId B = NodeId.of("b");
    private static final NodeId C = NodeId.of("c");

    private final HandMadePeers peers = new HandMadePeers(NodeId.of("a"));
    private final PeerInspection inspection = new PeerInspection(peers, 2);
    private final TestTurn turn = new TestTurn();

    private PeerInspectionTest await(Object token, int f) {
        inspection.onCommand(new PeerInspection.AwaitReady(token, f), turn);
        return endTurn();
    }

    private PeerInspectionTest endTurn() {
        inspection.endOfTurn(turn);
        return this;
    }

    private void told(Object... tokens) {
        assertThat(turn.events(PeerInspection.Ready.class))
                .extracting(PeerInspection.Ready::token)
                .containsExactly(tokens);
    }

    @Test
    void tellsOnceWhenEnoughPeersCanTakeACopy() {
        await("one", 1).await("two", 2).told();

        peers.peer(B);
        endTurn().told("one");

        peers.peer(C).state = PeerState.PROSPECT;
        endTurn().told("one");

        peers.peer(C).state = PeerState.ACTIVE;
        endTurn().endTurn().told("one", "two");
    }

    @Test
    void aPeerWithoutTheProtocolTakesNoCopies() {
        peers.peer(B).channels = Channels.of(Map.of(1, 1, 3, 1));

        await("one", 1).told();
        peers.peer(C);
        endTurn().told("one");
    }

    @Test
    void tellsAtOnceWhatIsSoAlready() {
        peers.peer(B);

        await("one", 1).told("one");
    }

    @Test
    void isNotReadyWhileItTakesNothingItself() {
        peers.peer(B);
        peers.drained = true;
        await("one", 1).told();

        peers.drained = false;
        inspection.onStoreState(StoreState.FULL, turn);
        endTurn().told();

        inspection.onStoreState(StoreState.READY, turn);
        endTurn().told("one");
    }

    @Test
    void forgetsWhoWaitsNoLonger() {
        await("one", 1).await("two", 1);

        inspection.onCommand(new PeerInspection.Forget("one"), turn);
        peers.peer(B);

        endTurn().told("two");
    }

    @Test
    void looksAtNoPeerWhileNobodyWaits() {
        peers.peer(B);

        endTurn();

        assertThat(peers.looks).isZero();
    }
}
