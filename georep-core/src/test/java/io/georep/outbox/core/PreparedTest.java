package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.stream.Custody;
import io.georep.protocol.BootKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The decision of a producer whose node is no owner of the entry any more, message by message. */
class PreparedTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    /** Others took two entries over, and replaced this node as an owner. */
    private OutboxFixture released() {
        a.prepared(2, B);
        Custody claim = new Custody(EntryState.COPY, 2, List.of(C, B), List.of(B, C), null);
        a.claim(B, OutboxMessages.RELEASE, a.own(), claim, range(0, 2)).settle();
        assertThat(a.custodyOf(a.own(), 0).state()).isEqualTo(EntryState.REMOVED);
        return a;
    }

    @Test
    void anOriginThatWasReleasedTellsTheOwnersOfACommit() {
        released().decide(true, 0).settle();

        for (NodeId owner : List.of(B, C)) {
            assertThat(a.told(owner, OutboxMessages.DECIDED)).hasToString("[0..1]");
        }
    }

    @Test
    void anOriginThatWasReleasedEndsWhatIsWithdrawn() {
        released().decide(false, 0).settle();

        for (NodeId owner : List.of(B, C)) {
            assertThat(a.told(owner, OutboxMessages.DELETE)).hasToString("[0..1]");
        }
        assertThat(a.table(a.own()).duties.untold.owners()).containsOnly(B, C);
    }

    /** Who forwards them is told the decision, and nobody else; a limited stranger would decide in the producer's place (6.19.2). */
    @Test
    void whatWasOnlyReleasedHereNobodyElseDecides() {
        released().peers.peer(D).limited = true;

        a.about(D, OutboxMessages.DECIDED, a.own(), range(0, 2)).settle();

        assertThat(a.table(a.own()).prepared.all()).hasToString("[0..2]");
        a.decide(false, 0).settle();
        assertThat(a.told(B, OutboxMessages.DELETE)).hasToString("[0..1]");
    }

    /** The origin would release the true holder in its favour. */
    @Test
    void aStrangerThatMayNotDecideOverOthersBringsNothingBackToItsOrigin() {
        released().peers.peer(D).limited = true;

        a.copy(D, a.own(), 0, 2, custody(9, D, A)).settle();

        assertThat(a.custodyOf(a.own(), 1).state()).isEqualTo(EntryState.REMOVED);
        assertThat(a.table(a.own()).duties.unreleased.owners()).isEmpty();
    }

    @Test
    void whatWasDecidedIsDecidedForGood() {
        released().decide(true, 0).settle().turn.forget();

        a.decide(false, 0).settle();

        assertThat(a.told(B, OutboxMessages.DELETE).isEmpty()).isTrue();
    }

    @Test
    void aHolderThatWasOutOfReachHearsOfACommitLater() {
        released().peers.peer(B).linked = false;
        a.decide(true, 0).settle();
        assertThat(a.told(B, OutboxMessages.DECIDED).isEmpty()).isTrue();

        a.reachable(B).settle();
        assertThat(a.told(B, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }

    /** The holder may be gone by then, and whoever followed it has nothing to tell a node that it did not know as an owner. */
    @Test
    void whoeverMayFollowTheHolderHearsOfACommitLater() {
        released().peers.peer(C).linked = false;
        a.decide(true, 0).settle();
        assertThat(a.told(C, OutboxMessages.DECIDED).isEmpty()).isTrue();

        a.reachable(C).settle();
        assertThat(a.told(C, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }

    /** Or it would ask its application about it, however much later it takes the entry over. */
    @Test
    void anOwnerThatWasOutOfReachHearsOfACommitLater() {
        a.prepared(2, B).peers.peer(B).linked = false;
        a.decide(true, 0).settle();

        a.reachable(B).settle();

        assertThat(a.told(B, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }

    /** With an older store, for example; whether they are decided it cannot know (seed 101). */
    @Test
    void nothingIsSaidOfEntriesThatWereOnlyReleasedHere() {
        a.prepared(1, B).decide(true, 0).settle();
        StreamId own = a.own();
        a.reboot(BootKind.PROMPT);
        Custody claim = new Custody(EntryState.COPY, 2, List.of(C, B), List.of(B, C), null);
        a.claim(B, OutboxMessages.RELEASE, own, claim, range(1, 2))
                .settle()
                .turn
                .forget();

        a.reachable(B).settle();

        assertThat(a.told(B, OutboxMessages.DECIDED).isEmpty()).isTrue();
    }

    /** The copy says whether its sender knows of a decision. */
    @Test
    void anOriginThatIsMadeAnOwnerAgainGoesByTheCopy() {
        released().copy(B, a.own(), 0, 1, custody(3, B, A));
        a.message(B, OutboxMessages.REPLICATE, OutboxFixture.replicate(a.own(), 1, 1, custody(3, B, A), true))
                .settle();

        assertThat(a.table(a.own()).prepared.all()).hasToString("[1..2]");
    }

    /** Whoever is named as holder may have missed it, although its link was there. */
    @Test
    void aHolderThatIsNewHearsOfACommit() {
        a.prepared(1, B, C)
                .claim(
                        B,
                        OutboxMessages.UPDATE,
                        a.own(),
                        new Custody(EntryState.COPY, 1, List.of(A, B, C), List.of(B, C, A), null),
                        range(0, 1))
                .decide(true, 0)
                .settle()
                .turn
                .forget();

        Custody next = new Custody(EntryState.COPY, 2, List.of(A, B, C), List.of(C, A, B), null);
        a.claim(C, OutboxMessages.UPDATE, a.own(), next, range(0, 1)).settle();

        assertThat(a.told(C, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }

    /** Its link was there all the time, so it is told now or never. */
    @Test
    void aHolderThatIsNewHearsOfACommitAlsoFromAnOriginThatItReplaced() {
        a.prepared(1, B)
                .claim(
                        B,
                        OutboxMessages.UPDATE,
                        a.own(),
                        new Custody(EntryState.COPY, 1, List.of(A, B), List.of(B, A), null),
                        range(0, 1))
                .decide(true, 0)
                .settle()
                .turn
                .forget();

        Custody next = new Custody(EntryState.COPY, 3, List.of(C, B), List.of(C, B), null);
        a.claim(C, OutboxMessages.RELEASE, a.own(), next, range(0, 1)).settle();

        assertThat(a.custodyOf(a.own(), 0).state()).isEqualTo(EntryState.REMOVED);
        assertThat(a.told(C, OutboxMessages.DECIDED)).hasToString("[0..1]");
    }
}
