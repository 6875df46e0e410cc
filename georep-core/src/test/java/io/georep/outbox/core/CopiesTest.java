package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static io.georep.outbox.core.OutboxFixture.replicate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.MalformedException;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.StoreState;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.protocol.BootKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The receiving end of REPLICATE (rules b1, b2, b9), message by message: node a gets copies of entries of b. */
class CopiesTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    private RangeList acknowledged(int status, long epoch) {
        return a.acknowledged(B, status, epoch);
    }

    @Test
    void aCopyIsForcedToDiskBeforeItIsConfirmed() {
        a.copy(B, OF_B, 0, 3, custody(0, B, A)).step();

        assertThat(a.forced).isTrue();
        assertThat(a.turn.sent).isEmpty();
        a.complete();
        assertThat(acknowledged(OutboxMessages.STATUS_STORED, 0)).hasToString("[0..3]");
    }

    @Test
    void aRepeatedCopyIsConfirmedAgainAndStoredOnce() {
        a.copy(B, OF_B, 0, 3, custody(0, B, A)).settle().turn.forget();

        a.copy(B, OF_B, 0, 3, custody(0, B, A)).step();

        assertThat(a.turn.store().isEmpty()).isTrue();
        a.complete();
        assertThat(acknowledged(OutboxMessages.STATUS_STORED, 0)).hasToString("[0..3]");
    }

    @Test
    void aLateCopyOfAFinishedEntryIsAnsweredWithItsEnd() {
        a.about(B, OutboxMessages.DELETE, OF_B, range(1, 2)).settle().turn.forget();

        a.copy(B, OF_B, 0, 3, custody(0, B, A)).settle();

        assertThat(acknowledged(OutboxMessages.STATUS_DELETED, 0)).hasToString("[1..2]");
        assertThat(acknowledged(OutboxMessages.STATUS_STORED, 0)).hasToString("[0..1 2..3]");
        assertThat(a.custodyOf(OF_B, 1)).isNull();
    }

    @Test
    void tombstonesOutliveARestart() {
        a.copy(B, OF_B, 0, 3, custody(0, B, A))
                .about(B, OutboxMessages.DELETE, OF_B, range(1, 3))
                .settle();

        a.reboot(BootKind.PROMPT).copy(B, OF_B, 0, 3, custody(0, B, A)).settle();

        assertThat(acknowledged(OutboxMessages.STATUS_DELETED, 0)).hasToString("[1..3]");
    }

    @Test
    void aReleasedOwnerRefusesLateCopiesOfTheClaimItWasReleasedBy() {
        a.copy(B, OF_B, 0, 1, custody(0, B, A, C))
                .claim(B, OutboxMessages.RELEASE, OF_B, custody(1, B, D, C), range(0, 1))
                .settle()
                .turn
                .forget();

        a.copy(B, OF_B, 0, 1, custody(0, B, A, C)).settle();
        assertThat(acknowledged(OutboxMessages.STATUS_REFUSED, 0)).hasToString("[0..1]");
        a.copy(B, OF_B, 0, 1, custody(1, B, A, C)).settle();
        assertThat(acknowledged(OutboxMessages.STATUS_REFUSED, 1)).hasToString("[0..1]");
        assertThat(a.node.inspect().liveCount()).isZero();

        a.copy(B, OF_B, 0, 1, custody(2, B, A, C)).settle();
        assertThat(acknowledged(OutboxMessages.STATUS_STORED, 2)).hasToString("[0..1]");
        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.COPY);
    }

    @Test
    void aCopyUnderANewerClaimBringsTheClaim() {
        a.copy(B, OF_B, 0, 2, custody(0, B, A, C)).settle();

        a.copy(B, OF_B, 0, 2, custody(1, B, A, D)).step();
        assertThat(a.forced).isTrue();
        a.complete();

        assertThat(acknowledged(OutboxMessages.STATUS_STORED, 1)).hasToString("[0..2]");
        assertThat(a.custodyOf(OF_B, 0).owners()).containsExactly(B, A, D);
    }

    @Test
    void whoCannotTakeACopyRefusesIt() {
        a.node.onStoreState(StoreState.FULL, a.turn);
        a.copy(B, OF_B, 0, 1, custody(0, B, A)).settle();
        a.node.onStoreState(StoreState.READY, a.turn);
        a.peers.drained = true;
        a.copy(B, OF_B, 1, 1, custody(0, B, A)).settle();
        a.peers.drained = false;
        a.peers.leaving = true;
        a.copy(B, OF_B, 2, 1, custody(0, B, A)).settle();

        assertThat(acknowledged(OutboxMessages.STATUS_REFUSED, 0)).hasToString("[0..3]");
        assertThat(a.node.inspect().liveCount()).isZero();
    }

    @Test
    void confirmationsAreRepeatedWhenTheWayBackOpens() {
        a.peers.peer(B).linked = false;
        a.copy(B, OF_B, 0, 3, custody(0, B, A)).settle();
        assertThat(acknowledged(OutboxMessages.STATUS_STORED, 0).isEmpty()).isTrue();

        a.reachable(B).settle();

        assertThat(acknowledged(OutboxMessages.STATUS_STORED, 0)).hasToString("[0..3]");
    }

    @Test
    void anUndecidedEntryCopiedOnceMoreStaysUndecided() {
        // The neighbour keeps the bytes of the group in the store.
        a.message(B, OutboxMessages.REPLICATE, replicate(OF_B, 0, 2, custody(0, B, A, C), true))
                .claim(B, OutboxMessages.RELEASE, OF_B, custody(1, B, D, C), range(0, 1))
                .settle();

        a.message(B, OutboxMessages.REPLICATE, replicate(OF_B, 0, 1, custody(2, B, A, C), true))
                .become(B, PeerState.TERMINATED)
                .credit(10)
                .settle();

        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.HELD);
        assertThat(a.delivered()).isEmpty();
    }

    @Test
    void copiesThatMakeNoSenseAreRefusedByName() {
        List<NodeId> others = List.of(B, C);

        assertThatThrownBy(() -> a.copy(B, OF_B, 0, 1, new Custody(EntryState.COPY, 0, others, others, null)))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("must be owners");
    }
}
