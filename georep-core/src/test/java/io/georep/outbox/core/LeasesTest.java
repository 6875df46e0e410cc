package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.OF_B;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.Channels;
import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.BootKind;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What tells an entry that somebody else may have forwarded from one that nobody can have (6.16), message by message. */
class LeasesTest {
    private static final Duration TICK = Duration.ofMillis(1100);

    /** Of T_s + T_x, the time after which an owner adopts. */
    private static final Duration LEASE =
            ProtocolConfig.defaults().failoverAfter().multipliedBy(9).dividedBy(10);

    private final OutboxFixture a = OutboxFixture.hardened();

    private OutboxEvent.Delivered handedOut() {
        return a.stored(1, B).credit(1).settle().deliveries().get(0);
    }

    private boolean isPossiblySent(OutboxEvent.Delivered entry) {
        return entry.possiblySentAt(a.turn.now(), a.turn.wallMillis());
    }

    @Test
    void anEntryIsPossiblySentOnceTheLeaseOfAnotherOwnerIsOver() {
        OutboxEvent.Delivered entry = handedOut();

        a.advance(LEASE.minusMillis(1));
        assertThat(isPossiblySent(entry)).isFalse();

        a.advance(Duration.ofMillis(1));
        assertThat(isPossiblySent(entry)).isTrue();
    }

    /** Nodes may have settings of their own, and while settings are rolled out they do. */
    @Test
    void aLeaseLastsAsLongAsItsOwnerSaysItWaits() {
        a.peers.peer(B).failoverNanos = LEASE.dividedBy(3).toNanos() / 9 * 10;
        OutboxEvent.Delivered entry = handedOut();

        a.advance(LEASE.dividedBy(3).minusMillis(1));
        assertThat(isPossiblySent(entry)).isFalse();

        a.advance(Duration.ofMillis(2));
        assertThat(isPossiblySent(entry)).isTrue();
    }

    @Test
    void aLeaseIsExtendedWhileItsOwnerConfirmsThatItHearsThisNode() {
        OutboxEvent.Delivered entry = handedOut();
        a.advance(LEASE.dividedBy(2));
        a.peers.peer(B).heardSentNanos = a.turn.now();

        a.advance(LEASE.minusMillis(1));

        assertThat(isPossiblySent(entry)).isFalse();
    }

    @Test
    void aLeaseThatIsOverStaysOverThoughItsOwnerIsHeardAgain() {
        OutboxEvent.Delivered entry = handedOut();
        a.advance(LEASE.plus(TICK));

        a.peers.peer(B).heardSentNanos = a.turn.now();
        a.advance(TICK);

        assertThat(isPossiblySent(entry)).isTrue();
    }

    @Test
    void whoseLeaseWasOverIsAskedAndACopyProvesThatItDidNotAdopt() {
        a.stored(3, B).advance(LEASE.plus(TICK)).turn.forget();
        a.credit(1).settle();
        assertThat(a.deliveries()).as("unproven").allMatch(OutboxEvent.Delivered::possiblySent);

        a.peers.peer(B).heardSentNanos = a.turn.now();
        a.advance(TICK);
        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..3]");
        a.turn.forget();
        a.answer(B, a.own(), OutboxMessages.ANSWER_INACTIVE, custody(0, A, B), range(0, 2))
                .credit(2)
                .settle();

        assertThat(a.deliveries())
                .extracting(OutboxEvent.Delivered::possiblySent)
                .containsExactly(false, true);
    }

    @Test
    void afterABootWhatIsSharedIsUnprovenUntilItsOwnersHaveAnswered() {
        a.stored(2, B).reboot(BootKind.PROMPT);
        a.answer(B, a.own(), OutboxMessages.ANSWER_INACTIVE, custody(0, A, B), range(1, 2));

        a.credit(2).settle();

        assertThat(a.deliveries())
                .extracting(OutboxEvent.Delivered::possiblySent)
                .containsExactly(true, false);
    }

    @Test
    void anOwnerWithoutTheEntryProvesNothing() {
        a.stored(1, B).reboot(BootKind.PROMPT);
        a.answer(B, a.own(), OutboxMessages.ANSWER_UNKNOWN, null, range(0, 1));

        a.credit(1).settle();

        assertThat(a.deliveries())
                .extracting(OutboxEvent.Delivered::possiblySent)
                .containsExactly(true);
    }

    /** A copy made while the handler has the entry may be adopted like the others (seed 8100003451). */
    @Test
    void anOwnerThatComesWhileTheApplicationHasTheEntryCountsFromThenOn() {
        a.peers.peer(C).heardSentNanos = a.turn.now();
        a.stored(2, B).credit(1).settle();
        OutboxEvent.Delivered entry = a.deliveries().get(0);
        a.peers.peer(B).drained = true;
        a.advance(TICK);
        a.ack(C, a.own(), OutboxMessages.STATUS_STORED, 1, range(0, 2)).settle();
        assertThat(a.custodyOf(a.own(), 0).owners()).containsExactly(A, C);

        a.peers.peer(B).heardSentNanos = a.turn.now();
        a.advance(LEASE.minus(TICK));
        a.peers.peer(B).heardSentNanos = a.turn.now();
        assertThat(isPossiblySent(entry)).as("within the lease").isFalse();
        a.advance(TICK);

        assertThat(isPossiblySent(entry)).as("c may have given this node up").isTrue();
    }

    @Test
    void aCopyWhoseTargetIsGivenUpCountsFromTheMomentItWasSent() {
        a.stored(1, B).credit(1).settle();
        OutboxEvent.Delivered entry = a.deliveries().get(0);
        a.peers.peer(B).drained = true;
        a.advance(TICK);
        assertThat(a.told(C, OutboxMessages.REPLICATE)).hasToString("[0..1]");

        a.peers.peer(B).heardSentNanos = a.turn.now();
        a.advance(LEASE.minus(TICK));
        a.peers.peer(B).heardSentNanos = a.turn.now();
        a.advance(TICK);

        assertThat(isPossiblySent(entry)).isTrue();
    }

    @Test
    void onlyEntriesThatALateOwnerHasACopyOfAreInDoubt() {
        LateOwners late = new LateOwners();
        BothClocks clocks = new BothClocks();
        clocks.compareFrom(0, 0, LEASE.toNanos());
        Lease over = new Lease(0, clocks);
        late.add(over, range(2, 4));
        late.add(over, range(6, 7));
        late.add(new Lease(Long.MAX_VALUE, clocks), range(0, 9));

        assertThat(LongStream.range(0, 9).filter(entry -> late.mayHaveForwarded(entry, 1, 0)))
                .containsExactly(2L, 3L, 6L);
    }

    @Test
    void ownersThatCameLateAreForgottenWithTheLastEntryInHand() {
        a.stored(1, B).credit(1).settle();
        a.peers.peer(B).drained = true;
        a.advance(TICK);
        a.ack(C, a.own(), OutboxMessages.STATUS_STORED, 1, range(0, 1)).settle();
        LateOwners late = a.table(a.own()).lateOwners;
        assertThat(mayHaveForwarded(late)).isTrue();

        a.forwarded(a.own(), 0).settle().advance(TICK);

        assertThat(mayHaveForwarded(late)).isFalse();
    }

    /** In whatever direction: a step of the wall clock looks like a machine that was suspended. */
    @ParameterizedTest
    @ValueSource(longs = {1, -1})
    void onceTheClocksHavePartedNoLeaseHolds(long direction) {
        OutboxEvent.Delivered entry = handedOut();
        Duration error = LEASE.dividedBy(45);
        a.turn.stepWallClock(error.minusMillis(2).multipliedBy(direction));
        assertThat(isPossiblySent(entry)).as("by so much they may part").isFalse();
        a.turn.stepWallClock(Duration.ofMillis(4).multipliedBy(direction));
        assertThat(isPossiblySent(entry)).as("before the node has noticed").isTrue();

        a.advance(TICK);
        assertThat(isPossiblySent(entry))
                .as("what its owner confirms was sent before")
                .isTrue();
        a.peers.peer(B).heardSentNanos = a.turn.now();
        a.advance(TICK);

        assertThat(isPossiblySent(entry)).as("in hand since then").isTrue();
        a.turn.forget();
        OutboxEvent.Delivered later = handedOut();
        assertThat(isPossiblySent(later)).isFalse();
    }

    /** Also of one that was not known when the clocks were compared last, or whose link broke since. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void byHowMuchTheClocksMayPartGoesByTheOwnerThatWaitsShortest(boolean linked) {
        a.peers.peer(B).failoverNanos = LEASE.dividedBy(9).toNanos();
        a.advance(Duration.ofMillis(1)).peers.peer(B).heardSentNanos = a.turn.now();
        a.advance(TICK).peers.peer(B).heardSentNanos = a.turn.now();
        a.advance(TICK).peers.peer(B).heardSentNanos = a.turn.now();
        OutboxEvent.Delivered entry = handedOut();
        if (!linked) {
            a.peers.peer(B).linked = false;
            a.advance(LEASE.dividedBy(12));
        }
        assertThat(isPossiblySent(entry)).isFalse();

        a.turn.stepWallClock(LEASE.dividedBy(45).minusMillis(2));

        assertThat(isPossiblySent(entry)).isTrue();
    }

    /** A clock that is slewed parts from the other one all the time. */
    @Test
    void clocksMayRunAtUnlikeSpeeds() {
        OutboxEvent.Delivered entry = handedOut();
        for (int i = 0; i < 100; i++) {
            a.turn.stepWallClock(TICK.dividedBy(100));
            a.peers.peer(B).heardSentNanos = a.turn.now();
            a.advance(TICK);
        }

        assertThat(isPossiblySent(entry)).isFalse();
    }

    private boolean mayHaveForwarded(LateOwners late) {
        return late.mayHaveForwarded(0, a.turn.now() + LEASE.toNanos(), a.turn.wallMillis() + LEASE.toMillis());
    }

    @Test
    void anEntryNobodyElseOwnsNeedsNoLease() {
        OutboxEvent.Delivered entry =
                a.stored(1).credit(1).settle().deliveries().get(0);

        a.advance(LEASE.multipliedBy(2));

        assertThat(isPossiblySent(entry)).isFalse();
    }

    private static final Custody OF_ADOPTER = custody(1, A, B).withOrder(List.of(B, A));

    private List<Boolean> announced(int entries) {
        a.turn.forget();
        return a.credit(entries).settle().deliveries().stream()
                .map(OutboxEvent.Delivered::possiblySent)
                .toList();
    }

    /** Its claim may have lost, and an owner that has a copy only, or none any more, tells nothing of that. */
    @Test
    void whatAnotherNodeSaysItHeldIsPossiblySentWhateverItAnswersLater() {
        a.stored(3, B);
        a.claim(B, OutboxMessages.CLAIM, a.own(), OF_ADOPTER, range(0, 1))
                .claim(B, OutboxMessages.CLAIM, a.own(), custody(1, A, B), range(1, 2))
                .settle()
                .reboot(BootKind.PROMPT)
                .answer(B, a.own(), OutboxMessages.ANSWER_INACTIVE, custody(0, A, B), range(0, 3));

        assertThat(announced(3)).containsExactly(true, false, false);
    }

    @Test
    void whatAnotherNodeTriedIsPossiblySent() {
        a.stored(2, B);
        AttemptNews.Item item = new AttemptNews.Item(0, new AttemptMark(0, false, 2), null);
        a.message(B, OutboxMessages.ATTEMPTS, AttemptNews.body(a.table(a.own()), List.of(item)))
                .settle();

        assertThat(announced(2)).containsExactly(true, false);
    }

    /** Node b gave up too early, and holds its entries by a better claim; a handler of this node had the first one. */
    private OutboxFixture withOneTriedOfThree() {
        a.peers.peer(B).channels = Channels.of(Map.of(1, 1, OutboxProtocol.CHANNEL, 2));
        a.tuning = node -> node.splitEarly(Outgoing.RANGES_MAX, 0);
        a.copy(B, OF_B, 0, 3, custody(0, B, A, C)).settle();
        a.become(B, PeerState.TERMINATED).credit(1).settle().settle();
        assertThat(a.delivered()).containsExactly(0L);
        a.node.onCommand(new OutboxCommand.Return(List.of(), List.of(new EntryId(OF_B, 0))), a.turn);
        a.settle();
        a.become(B, PeerState.ACTIVE).peers.peer(B).linked = true;
        a.turn.forget();
        return a;
    }

    private void saysThatItHeld(String entries, int aheadOf) {
        assertThat(a.claims(B, OutboxMessages.CLAIM))
                .containsExactly(custody(1, B, A, C).withOrder(List.of(A, C, B)));
        assertThat(a.told(B, OutboxMessages.CLAIM)).hasToString(entries);
        List<Integer> types =
                a.turn.sent.stream().map(TestTurn.Sent::type).distinct().toList();
        assertThat(types.indexOf(OutboxMessages.CLAIM)).isBetween(0, types.indexOf(aheadOf));
        a.turn.forget();
    }

    /** Until it is over: what was said may be lost, and whoever asks may ask again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoPerhapsForwardedWhatItHoldsNoMoreSaysSoAheadOfAllThatItSays(boolean owner) {
        Custody claim = owner ? custody(5, B, A, C) : custody(5, B, C, D);
        withOneTriedOfThree().claim(B, OutboxMessages.UPDATE, OF_B, claim, range(0, 3));
        a.settle();
        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(owner ? EntryState.INACTIVE : EntryState.REMOVED);
        saysThatItHeld("[0..1]", OutboxMessages.UPDATED);

        a.reboot(BootKind.PROMPT).about(B, OutboxMessages.QUERY, OF_B, range(0, 3));
        a.settle();
        saysThatItHeld("[0..1]", OutboxMessages.ANSWER);

        a.claim(B, OutboxMessages.RELEASE, OF_B, custody(6, B, C, D), range(0, 3))
                .settle();
        assertThat(a.custodyOf(OF_B, 0).state()).isEqualTo(EntryState.REMOVED);
        saysThatItHeld("[0..1]", OutboxMessages.RELEASED);

        a.about(B, OutboxMessages.DELETE, OF_B, range(0, 3)).settle();
        assertThat(a.table(OF_B).duties.ended.of(range(0, 3))).isEmpty();
    }

    /** By the claim by which it held them, whatever it has to do with them since. */
    @Test
    void whoPerhapsForwardedAnEntrySaysSoAlsoWhenOthersHoldItByTurns() {
        withOneTriedOfThree().claim(B, OutboxMessages.UPDATE, OF_B, custody(5, B, A, C), range(0, 3));
        a.claim(D, OutboxMessages.UPDATE, OF_B, custody(6, D, A, C), range(0, 3))
                .claim(D, OutboxMessages.RELEASE, OF_B, custody(7, D, C), range(0, 3))
                .settle();
        assertThat(a.table(OF_B).duties.unreleased.of(B).all()).hasToString("[0..3]");
        a.confirm(B, OutboxMessages.RELEASED, OF_B, range(0, 3)).settle().turn.forget();

        a.about(B, OutboxMessages.QUERY, OF_B, range(0, 3)).settle();

        saysThatItHeld("[0..1]", OutboxMessages.ANSWER);
    }

    @Test
    void whoHandsOverWhatItPerhapsForwardedSaysSoFirst() {
        withOneTriedOfThree();
        a.peers.drained = true;
        a.become(C, PeerState.TERMINATED).reachable(B);
        a.answer(B, OF_B, OutboxMessages.ANSWER_INACTIVE, custody(0, B, A, C), range(0, 3))
                .settle()
                .turn
                .forget();

        a.advance(TICK);

        assertThat(a.custodyOf(OF_B, 0).first()).isEqualTo(B);
        saysThatItHeld("[0..1]", OutboxMessages.UPDATE);
    }

    /** That it was handed out is not forced to disk; that it was adopted is. */
    @Test
    void afterABootWhateverWasAdoptedMayHaveBeenForwarded() {
        withOneTriedOfThree().reboot(BootKind.PROMPT).turn.forget();

        a.claim(B, OutboxMessages.UPDATE, OF_B, custody(5, B, A, C), range(1, 3))
                .settle();

        saysThatItHeld("[1..3]", OutboxMessages.UPDATED);
    }
}
