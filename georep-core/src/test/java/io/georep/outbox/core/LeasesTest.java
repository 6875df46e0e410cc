package io.georep.outbox.core;

import static io.georep.outbox.core.OutboxFixture.A;
import static io.georep.outbox.core.OutboxFixture.B;
import static io.georep.outbox.core.OutboxFixture.C;
import static io.georep.outbox.core.OutboxFixture.D;
import static io.georep.outbox.core.OutboxFixture.custody;
import static io.georep.outbox.core.OutboxFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.model.Durability;
import io.georep.model.EntryState;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.OutboxService;
import io.georep.outbox.RepetitionCause;
import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.stream.LateOwners;
import io.georep.outbox.core.stream.OwnerLease;
import io.georep.outbox.local.OutboxModule;
import io.georep.protocol.BootKind;
import io.georep.protocol.ClockComparison;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.local.Place;
import io.georep.runtime.IdleHandle;
import io.georep.spi.CodecResolver;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
        return entry.causeAt(a.turn.now(), a.turn.wallMillis()) != null;
    }

    @Test
    void anEntryIsPossiblySentOnceTheLeaseOfAnotherOwnerIsOver() {
        OutboxEvent.Delivered entry = handedOut();

        a.advance(LEASE.minusMillis(1));
        assertThat(isPossiblySent(entry)).isFalse();

        a.advance(Duration.ofMillis(1));
        assertThat(isPossiblySent(entry)).isTrue();
    }

    /** A batch takes its time. */
    @Test
    void aReplicationIsToldOfEachEntryWhatHoldsWhenItIsCalled() {
        List<OutboxEvent.Delivered> entries = a.stored(2, B).credit(2).settle().deliveries();
        LocalSide<OutboxService, OutboxCommand, OutboxEvent> side = new OutboxModule(
                        PeerSelection.siteAware(), CodecResolver.builtIn(), Integer.MAX_VALUE)
                .start(new Place(A, null, 0, null, Durability.MEMORY, a.config), a.peers, new IdleHandle<>("a") {
                    @Override
                    public long nanos() {
                        return a.turn.now();
                    }

                    @Override
                    public long wallMillis() {
                        return a.turn.wallMillis();
                    }
                })
                .local();
        List<Boolean> told = new ArrayList<>();
        side.service()
                .replication(OutboxFixture.QUEUE)
                .onAdopted(entry -> {
                    told.add(entry.possiblySent());
                    a.advance(LEASE);
                })
                .start();

        side.event(new OutboxEvent.Deliver(OutboxFixture.QUEUE, entries));

        assertThat(told).containsExactly(false, true);
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

    /** The owner waits from when it heard what it confirms, however long the confirmation takes. */
    @Test
    void aLeaseRunsFromTheQuestionAndNotFromTheAnswer() {
        a.stored(1, B).peers.peer(B).linked = false;
        a.advance(LEASE.plus(TICK));
        a.advance(Duration.ofNanos(a.node.nextDeadlineNanos() - a.turn.now()));
        a.peers.peer(B).heardSentNanos = a.turn.now() - LEASE.minusMillis(100).toNanos();
        OutboxMessages.Answer copy =
                new OutboxMessages.Answer(OutboxMessages.ANSWER_COPY, custody(0, A, B), range(0, 1));
        BinReader body = new BinReader(OutboxMessages.answer(a.own(), OutboxFixture.QUEUE, copy));
        a.node.onMessage(a.peers.peer(B), OutboxMessages.ANSWER, body, a.turn);
        OutboxEvent.Delivered entry = a.credit(1).settle().deliveries().get(0);

        a.advance(Duration.ofMillis(99));
        assertThat(isPossiblySent(entry)).isFalse();

        a.advance(Duration.ofMillis(2));
        assertThat(isPossiblySent(entry)).isTrue();
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
        assertThat(a.deliveries()).as("unproven").isNotEmpty().allMatch(OutboxEvent.Delivered::possiblySent);

        a.peers.peer(B).heardSentNanos = a.turn.now();
        a.advance(TICK);
        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..3]");
        a.turn.forget();
        a.answer(B, a.own(), OutboxMessages.ANSWER_COPY, custody(0, A, B), range(0, 2))
                .credit(2)
                .settle();

        assertThat(a.deliveries())
                .extracting(OutboxEvent.Delivered::possiblySent)
                .containsExactly(false, true);
    }

    /** On a busy cluster a message comes before the heartbeat that looks at the leases. */
    @Test
    void whoseLeaseWasOverIsAskedAlsoIfAMessageOfItBeginsTheNextOne() {
        a.stored(1, B).advance(LEASE.plus(TICK)).turn.forget();

        a.confirm(B, OutboxMessages.RELEASED, a.own(), range(0, 1)).settle().advance(TICK);

        assertThat(a.told(B, OutboxMessages.QUERY)).hasToString("[0..1]");
    }

    @Test
    void afterABootWhatIsSharedIsUnprovenUntilItsOwnersHaveAnswered() {
        a.stored(2, B).reboot(BootKind.PROMPT);
        a.answer(B, a.own(), OutboxMessages.ANSWER_COPY, custody(0, A, B), range(1, 2));

        a.credit(2).settle();

        assertThat(a.deliveries())
                .extracting(OutboxEvent.Delivered::cause)
                .containsExactly(RepetitionCause.UNPROVEN, null);
    }

    /** What it confirms is so old that it may have given this node up since it said that it has a copy. */
    @Test
    void anAnswerThatWasLongOnItsWayProvesNothing() {
        a.stored(1, B).reboot(BootKind.PROMPT).advance(LEASE.plus(TICK));
        a.peers.peer(B).heardSentNanos = a.turn.now() - LEASE.toNanos();
        OutboxMessages.Answer copy =
                new OutboxMessages.Answer(OutboxMessages.ANSWER_COPY, custody(0, A, B), range(0, 1));

        a.node.onMessage(
                a.peers.peer(B),
                OutboxMessages.ANSWER,
                new BinReader(OutboxMessages.answer(a.own(), OutboxFixture.QUEUE, copy)),
                a.turn);

        assertThat(a.table(a.own()).duties.unproven.of(B).all()).hasToString("[0..1]");
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

    /** Both sides of a partition replaced owners: what it was told there it has from somebody this node does not know. */
    @Test
    void aCopyByTheClaimOfAHolderThatIsNoOwnerHereProvesNothing() {
        a.stored(2, B);
        Ledger ledger = a.node.inspect().ledger();
        ledger.custody(a.table(a.own()), range(0, 2), custody(5, A, B).withState(EntryState.HELD), a.turn);
        a.settle().reboot(BootKind.PROMPT);
        a.answer(B, a.own(), OutboxMessages.ANSWER_COPY, custody(3, C, B), range(0, 1));
        a.answer(B, a.own(), OutboxMessages.ANSWER_COPY, custody(3, A, B), range(1, 2));

        assertThat(a.credit(2).settle().deliveries())
                .extracting(OutboxEvent.Delivered::possiblySent)
                .containsExactly(true, false);
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
        ClockComparison clocks = new ClockComparison();
        clocks.compareFrom(0, 0, LEASE.toNanos(), 1);
        OwnerLease over = new OwnerLease(0, clocks);
        late.add(over, range(2, 4));
        late.add(over, range(6, 7));
        late.add(new OwnerLease(Long.MAX_VALUE, clocks), range(0, 9));

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

    /** It says how long it waits in its first message. */
    @Test
    void whoWasLinkedAndNotHeardYetDoesNotMakeTheClocksDifferMoreClosely() {
        a.peers.peer(D).failoverNanos = 0;
        a.peers.peer(D).heardSentNanos = Long.MIN_VALUE;
        OutboxEvent.Delivered entry = handedOut();
        for (Duration time = Duration.ZERO; time.compareTo(LEASE.multipliedBy(2)) < 0; time = time.plus(TICK)) {
            a.peers.peer(B).heardSentNanos = a.turn.now();
            a.advance(TICK);
        }

        a.turn.stepWallClock(LEASE.dividedBy(45).minusMillis(2));

        assertThat(isPossiblySent(entry)).isFalse();
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
}
