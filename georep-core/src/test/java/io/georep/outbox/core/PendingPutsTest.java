package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Channels;
import io.georep.model.IndeterminateException;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Own puts until they are Stored (rules o3, o4, o5, 6.3), message by message. Owners are chosen as b, c, d. */
class PendingPutsTest {
    private final OutboxFixture a = OutboxFixture.hardened();

    private boolean isStored() {
        return !a.turn.events(OutboxEvent.Stored.class).isEmpty();
    }

    @Test
    void aPutSucceedsOnceTheOwnWriteAndEveryCopyAreDurable() {
        a.put(2, 1).step();
        assertThat(a.forced).isTrue();
        a.ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1));
        a.ack(C, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1));
        assertThat(isStored()).as("before the own write").isFalse();

        a.complete();
        assertThat(isStored()).isTrue();
    }

    @Test
    void oneMissingCopyKeepsAPutOpen() {
        a.put(2, 1).settle();

        a.ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1)).settle();
        assertThat(isStored()).isFalse();

        a.ack(C, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1)).settle();
        assertThat(isStored()).isTrue();
        assertThat(a.table(a.own()).pending.isEmpty()).isTrue();
    }

    @Test
    void anOwnerThatFallsSilentIsReplacedAndReleased() {
        a.put(1, 1).settle();

        a.become(B, PeerState.SCHRODINGER).step();
        assertThat(a.forced).isTrue();
        a.complete();

        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, C);
        assertThat(a.custodyOf(a.own(), 0).epoch()).isEqualTo(1);
        assertThat(a.table(a.own()).duties.unreleased.owners()).containsOnly(B);
        assertThat(a.told(C, OutboxMessages.REPLICATE)).hasToString("[0..1]");
    }

    @Test
    void aConfirmationOfTheOldListOfOwnersDoesNotCountForTheNewOne() {
        a.put(2, 1).settle();
        a.ack(C, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1))
                .become(B, PeerState.SCHRODINGER)
                .settle();
        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, D, C);

        a.ack(D, a.own(), OutboxMessages.STATUS_STORED, 1, range(0, 1))
                .ack(C, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1))
                .settle();
        assertThat(isStored()).isFalse();

        a.ack(C, a.own(), OutboxMessages.STATUS_STORED, 1, range(0, 1)).settle();
        assertThat(isStored()).isTrue();
    }

    @Test
    void aPutThatAnotherOwnerClaimsGoesOnWaitingAndIsNotCountedAsHeld() {
        a.put(2, 1).settle();
        a.claim(C, OutboxMessages.UPDATE, a.own(), a.custodyOf(a.own(), 0).adoptedBy(C), range(0, 1))
                .settle();

        assertThat(isStored()).as("one copy is missing").isFalse();
        a.node.onCommand(new OutboxCommand.ReadStatistics("token"), a.turn);
        assertThat(a.turn.events(OutboxEvent.Statistics.class)).singleElement().satisfies(read -> {
            assertThat(read.statistics().held()).containsEntry(OutboxFixture.QUEUE, 0L);
            assertThat(read.statistics().receiving()).isEqualTo(1);
            assertThat(read.statistics().copies()).isEqualTo(1);
        });

        a.ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1)).settle();
        assertThat(isStored()).isTrue();
    }

    @Test
    void nodesThatHostNoOutboxAreNotChosen() {
        a.peers.peer(B).channels = Channels.of(Map.of(1, 1, 9, 1));

        a.put(1, 1).settle();

        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, C);
    }

    @Test
    void whatWasNotConfirmedIsSentAgainWhenTheWayOpens() {
        a.put(1, 2)
                .settle()
                .ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1))
                .settle();
        a.turn.forget();

        a.reachable(B).settle();

        assertThat(a.told(B, OutboxMessages.REPLICATE)).hasToString("[1..2]");
    }

    @Test
    void aPutThatFailsIsWithdrawnAtEverybodyItWasSentTo() {
        a.put(3, 1).settle();

        a.advance(ProtocolConfig.defaults().putTimeout());

        assertThat(a.turn.events(OutboxEvent.PutFailed.class))
                .singleElement()
                .satisfies(failed -> assertThat(failed.cause()).isInstanceOf(IndeterminateException.class));
        assertThat(a.told(B, OutboxMessages.DELETE)).hasToString("[0..1]");
        assertThat(a.table(a.own()).duties.untold.owners()).containsOnly(B, C, D);
        assertThat(a.custodyOf(a.own(), 0)).isNull();
    }

    @Test
    void putsThatWaitForCopiesAreBoundedInBytes() {
        OutboxFixture small =
                new OutboxFixture(ProtocolConfig.builder().pendingBytesMax(1024).build());
        List<OutboxCommand.Put> puts = Stream.of(1, 2, 3)
                .map(i -> new OutboxCommand.Put(OutboxFixture.QUEUE, 1, Slice.of(new byte[400]), i))
                .toList();

        small.node.onCommand(new OutboxCommand.PutAll(puts), small.turn);

        assertThat(small.turn.events(OutboxEvent.PutFailed.class))
                .singleElement()
                .satisfies(failed -> assertThat(failed.cause())
                        .isInstanceOfSatisfying(
                                RejectedException.class,
                                rejected ->
                                        assertThat(rejected.reason()).isEqualTo(RejectedException.Reason.QUEUE_FULL)));
    }

    @Test
    void anEntryForwardedByAnotherOwnerCountsAsStored() {
        a.put(1, 1).settle();

        a.ack(B, a.own(), OutboxMessages.STATUS_DELETED, 0, range(0, 1)).settle();

        assertThat(isStored()).isTrue();
        assertThat(a.table(a.own()).pending.isEmpty()).isTrue();
        assertThat(a.credit(1).settle().delivered()).isEmpty();
    }

    @Test
    void aLonelyPutWaitsForNothingAndOthersGather() {
        a.put(1, 1).step();
        assertThat(a.told(B, OutboxMessages.REPLICATE)).hasToString("[0..1]");

        a.put(1, 1).step();
        assertThat(a.told(B, OutboxMessages.REPLICATE)).hasToString("[0..1]");
        a.advance(Duration.ofSeconds(1));
        assertThat(a.told(B, OutboxMessages.REPLICATE)).hasToString("[0..2]");
    }

    /** The copy in the middle of three is confirmed: two pieces go on waiting. */
    private OutboxFixture split() {
        return a.put(1, 3)
                .settle()
                .ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(1, 2))
                .settle();
    }

    private List<Object> answered() {
        return a.turn.events(OutboxEvent.Stored.class).stream()
                .flatMap(stored -> stored.puts().stream())
                .map(OutboxCommand.Put::token)
                .toList();
    }

    @Test
    void thePiecesOfASplitGroupAreAnsweredForThemselves() {
        split();
        assertThat(answered()).containsExactly("token 1");
        assertThat(a.table(a.own()).pending.all()).hasToString("[0..1 2..3]");

        a.ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 3)).settle();
        assertThat(answered()).containsExactly("token 1", "token 0", "token 2");
        assertThat(a.table(a.own()).pending.isEmpty()).isTrue();
        assertThat(a.node.pendingGroups()).isZero();
    }

    @Test
    void thePiecesOfASplitGroupAreGivenUpInTime() {
        split();
        a.peers.peer(C).linked = false;
        a.peers.peer(D).linked = false;

        a.advance(ProtocolConfig.defaults().putTimeout());

        assertThat(a.turn.events(OutboxEvent.PutFailed.class).stream()
                        .flatMap(failed -> failed.puts().stream())
                        .map(OutboxCommand.Put::token))
                .containsExactly("token 0", "token 2");
        assertThat(a.told(B, OutboxMessages.DELETE)).hasToString("[0..1 2..3]");
        assertThat(a.node.pendingGroups()).isZero();
    }

    @Test
    void theSilentOwnerOfASplitGroupIsReplacedInEachPiece() {
        split();

        a.advance(ProtocolConfig.defaults().putTimeout().dividedBy(2));

        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, C);
        assertThat(a.custodyOf(a.own(), 1).owners()).containsExactly(A, B);
        assertThat(a.custodyOf(a.own(), 2).owners()).containsExactly(A, C);
        assertThat(a.told(C, OutboxMessages.REPLICATE)).hasToString("[0..1 2..3]");
    }

    /** It has had the copies for a moment only, and confirms them one after the other. */
    @Test
    void whoReplacedASilentOwnerHasItsTimeAlsoWhenItConfirmsInParts() {
        a.put(1, 3).settle().advance(ProtocolConfig.defaults().putTimeout().dividedBy(2));
        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, C);

        a.ack(C, a.own(), OutboxMessages.STATUS_STORED, 1, range(1, 2)).settle().advance(Duration.ofMillis(10));

        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, C);
        assertThat(a.custodyOf(a.own(), 2).owners()).containsExactly(A, C);
        assertThat(a.told(C, OutboxMessages.RELEASE).isEmpty()).isTrue();
    }

    @Test
    void aSplitGroupOwesNothingOnceAllItsPiecesAreConfirmed() {
        split();
        a.put(1, 1).step();
        assertThat(a.told(B, OutboxMessages.REPLICATE)).as("a copy is owed").hasToString("[0..3]");

        a.ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(0, 1))
                .ack(B, a.own(), OutboxMessages.STATUS_STORED, 0, range(2, 3))
                .step();

        assertThat(a.told(B, OutboxMessages.REPLICATE)).hasToString("[0..4]");
    }
}
