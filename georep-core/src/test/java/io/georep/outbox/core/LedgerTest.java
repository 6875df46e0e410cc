package io.georep.outbox.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.sets.OwnerView;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custodies;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.TestTurn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Whatever facts there are, and wherever a snapshot replaces them: what is read at boot is what was known before. */
class LedgerTest {
    private static final List<NodeId> NODES =
            List.of(NodeId.of("a"), NodeId.of("b"), NodeId.of("c"), NodeId.of("d"), NodeId.of("e"));

    /** A node that does random things to its tables, and now and then starts anew. */
    private static final class Life {
        final Random random;
        final long snapshotAfterBytes;
        TestTurn turn = new TestTurn();
        Ledger ledger;

        Life(long seed, long snapshotAfterBytes) {
            random = new Random(seed);
            this.snapshotAfterBytes = snapshotAfterBytes;
            ledger = new Ledger(snapshotAfterBytes);
            ledger.boot(turn.disk(), turn);
        }

        void restart() {
            flush();
            Replayed.assertSame(ledger, turn.disk());
            turn = turn.nextBoot(Duration.ofSeconds(1));
            ledger = new Ledger(snapshotAfterBytes);
            ledger.boot(turn.disk(), turn);
        }

        void flush() {
            ledger.now = turn.advance(Duration.ofMinutes(random.nextInt(2))).now();
            if (random.nextInt(4) == 0) {
                ledger.grow();
            }
            ledger.flush(turn);
            turn.completeStore();
            if (random.nextInt(8) == 0) {
                Replayed.assertSame(ledger, turn.disk());
            }
        }

        StreamTable table() {
            int lane = random.nextInt(3);
            return ledger.open(new StreamId(NODES.get(random.nextInt(2)), 1, lane), "queue " + lane);
        }

        Custody custody(EntryState state) {
            List<NodeId> owners = new ArrayList<>(NODES);
            Collections.shuffle(owners, random);
            owners = List.copyOf(owners.subList(0, 1 + random.nextInt(3)));
            List<NodeId> order = new ArrayList<>(owners);
            Collections.shuffle(order, random);
            NodeId from = state == EntryState.HELD && random.nextBoolean() ? node() : null;
            return new Custody(state, random.nextInt(4), owners, List.copyOf(order), from);
        }

        NodeId node() {
            return NODES.get(random.nextInt(NODES.size()));
        }

        /** Some of these, as ranges. */
        RangeList some(RangeList all) {
            SequenceSet some = new SequenceSet();
            long each = 1 + random.nextInt(3);
            for (int i = 0; i < all.count(); i++) {
                for (long next = all.from(i) + random.nextInt(4); next < all.to(i); next += each + 1) {
                    some.add(next, Math.min(all.to(i), next + each));
                }
            }
            return random.nextInt(3) == 0 ? all : some.all();
        }

        RangeList in(StreamTable table, EntryState state) {
            return table.inState(state, RangeList.of(0, Long.MAX_VALUE)).all();
        }

        RangeList live(StreamTable table) {
            SequenceSet live = table.inState(EntryState.HELD, RangeList.of(0, Long.MAX_VALUE));
            live.addAll(in(table, EntryState.COPY));
            return live.all();
        }

        void step() {
            StreamTable table = table();
            RangeList held = in(table, EntryState.HELD);
            RangeList free = held.without(table.taken.within(held))
                    .without(table.dead.within(held))
                    .without(table.prepared.within(held));
            switch (random.nextInt(17)) {
                case 0, 1, 2 -> store(table);
                case 3 -> {
                    EntryState state = List.of(EntryState.HELD, EntryState.COPY, EntryState.REMOVED)
                            .get(random.nextInt(3));
                    RangeList live = live(table);
                    RangeList some = some(live.without(table.taken.within(live)).without(table.dead.within(live)));
                    Custody custody = custody(state);
                    if (custody.state() == EntryState.REMOVED) {
                        ledger.outranked(table, some);
                    }
                    ledger.custody(table, some, custody, turn);
                }
                case 4 -> ledger.finished(table, some(live(table)), List.of(node(), node()), turn);
                case 5 -> ledger.finished(table, some(in(table, EntryState.REMOVED)), List.of(), turn);
                case 6 ->
                    each(table.duties.untold, (owner, ranges) -> ledger.note(table, Fact.Duty.TOLD, owner, ranges));
                case 7 -> ledger.note(table, Fact.Duty.REPLACED, node(), some(live(table)));
                case 8 ->
                    each(
                            table.duties.unreleased,
                            (owner, ranges) -> ledger.note(table, Fact.Duty.RELEASED, owner, ranges));
                case 9 -> ledger.note(table, Fact.Duty.CLAIMED, node(), some(live(table)));
                case 10 ->
                    each(
                            table.duties.unconfirmed,
                            (owner, ranges) -> ledger.note(table, Fact.Duty.CONFIRMED, owner, ranges));
                case 11 -> ledger.note(table, Fact.Mark.TAKEN, some(free));
                case 12 -> {
                    if (random.nextBoolean()) {
                        ledger.note(
                                table,
                                random.nextBoolean() ? Fact.Mark.GIVEN_BACK : Fact.Mark.UNTOUCHED,
                                some(table.taken.all()));
                    } else {
                        ledger.uncertain(table, some(held));
                    }
                }
                case 13 -> ledger.note(table, Fact.Mark.DEAD_LETTER, some(table.taken.all()));
                case 14 -> ledger.note(table, Fact.Mark.REVIVED, some(table.dead.all()));
                case 15 -> ledger.note(table, Fact.Mark.DECIDED, some(table.prepared.all()));
                default -> {
                    if (random.nextInt(10) == 0) {
                        ledger.forget(table);
                    }
                }
            }
        }

        /** Confirms some of what is noted for each owner. */
        private void each(OwnerView duties, BiConsumer<NodeId, RangeList> confirm) {
            for (NodeId owner : List.copyOf(duties.owners())) {
                confirm.accept(owner, some(duties.of(owner).all()));
            }
        }

        private void store(StreamTable table) {
            long first = table.next() + (random.nextInt(5) == 0 ? random.nextInt(9) : 0);
            List<Slice> payloads = new ArrayList<>();
            for (int i = 1 + random.nextInt(5); i > 0; i--) {
                payloads.add(Slice.of(new byte[i]));
            }
            Custody custody = custody(random.nextBoolean() ? EntryState.HELD : EntryState.COPY);
            boolean prepared = random.nextInt(4) == 0;
            ledger.stored(
                    table, Group.encode(table.id, first, table.queue, custody, prepared, payloads), custody, turn);
        }
    }

    /** All that is durable of all tables; what was taken or adopted before a restart is uncertain after it. */
    static Map<StreamId, String> durable(Ledger ledger) {
        Map<StreamId, String> all = new TreeMap<>();
        for (StreamTable table : ledger.tables()) {
            Map<String, String> custodies = new TreeMap<>();
            SequenceSet uncertain = new SequenceSet();
            uncertain.addAll(table.taken);
            uncertain.addAll(table.uncertain);
            for (Custodies.Part part : table.parts()) {
                custodies.put(part.custody().toString(), part.members().toString());
                if (part.custody().adoptedFrom() != null) {
                    uncertain.addAll(part.members().all());
                }
            }
            Map<String, String> ended = new TreeMap<>();
            table.duties
                    .finishedClaims
                    .of(RangeList.of(0, Long.MAX_VALUE))
                    .forEach((claim, entries) -> ended.put(claim.toString(), entries.toString()));
            all.put(
                    table.id,
                    String.join(
                            "\n  ",
                            table.queue + " next " + table.next(),
                            "custodies " + custodies,
                            "groups " + table.groups + " covered " + table.covered,
                            "finished " + table.finished.floor() + " " + table.finished.above(),
                            "untold " + table.duties.untold,
                            "unreleased " + table.duties.unreleased,
                            "unconfirmed " + table.duties.unconfirmed,
                            "ended " + ended,
                            "uncertain " + uncertain,
                            "dead " + table.dead,
                            "prepared " + table.prepared));
        }
        return all;
    }

    @RepeatedTest(200)
    void whatIsReadAtBootIsWhatWasKnownBefore(RepetitionInfo repetition) {
        int seed = repetition.getCurrentRepetition();
        Life life = new Life(seed, seed % 3 == 0 ? Long.MAX_VALUE / 2 : 50 * (seed % 7));
        for (int boot = 0; boot < 6; boot++) {
            for (int step = life.random.nextInt(200); step > 0; step--) {
                life.step();
                if (life.random.nextInt(4) == 0) {
                    life.flush();
                }
            }
            Map<StreamId, String> before = durable(life.ledger);

            life.restart();

            assertThat(durable(life.ledger)).isEqualTo(before);
        }
    }

    /** More tables, sets, ranges and facts of one turn than one value, one page or one chunk usually holds. */
    @Test
    void largeTablesAndManyOfThemSurviveASnapshot() {
        for (long snapshotAfterBytes : new long[] {0, Long.MAX_VALUE / 2}) {
            Life life = new Life(1, snapshotAfterBytes);
            for (int lane = 0; lane < 300; lane++) {
                StreamTable table = life.ledger.open(new StreamId(NODES.get(0), 9, lane), "queue " + lane);
                for (int group = 0; group < (lane == 0 ? 2000 : 3); group++) {
                    life.store(table);
                }
                RangeList live = life.live(table);
                SequenceSet ragged = new SequenceSet();
                for (long next = live.from(0); next < live.to(live.count() - 1); next += 2) {
                    ragged.add(next);
                }
                RangeList over = live.without(ragged.all());
                life.ledger.finished(table, over, List.of(NODES.get(1)), life.turn);
                life.ledger.note(table, Fact.Duty.CLAIMED, NODES.get(2), life.live(table));
            }
            Map<StreamId, String> before = durable(life.ledger);

            life.restart();
            assertThat(durable(life.ledger)).isEqualTo(before);
            life.store(life.ledger.open(new StreamId(NODES.get(0), 9, 299), "queue 299"));
            before = durable(life.ledger);
            life.restart();

            assertThat(durable(life.ledger)).isEqualTo(before);
        }
    }

    /** Tombstones, released copies and their numbers are gone with the table; the stream may be opened again. */
    @Test
    void aForgottenTableStaysForgottenAndBeginsAnewWhenOpenedAgain() {
        for (long snapshotAfterBytes : new long[] {0, Long.MAX_VALUE / 2}) {
            Life life = new Life(2, snapshotAfterBytes);
            StreamId id = new StreamId(NODES.get(0), 9, 0);
            StreamTable table = life.ledger.open(id, "queue");
            life.store(table);
            life.store(table);
            life.ledger.finished(table, RangeList.of(0, 1), List.of(NODES.get(1)), life.turn);
            life.flush();
            life.ledger.forget(table);
            life.flush();
            assertThat(durable(life.ledger)).isEmpty();
            life.restart();
            assertThat(durable(life.ledger)).isEmpty();

            StreamTable again = life.ledger.open(id, "queue");
            life.ledger.finished(again, RangeList.of(7, 9), List.of(), life.turn);
            Map<StreamId, String> before = durable(life.ledger);
            life.restart();

            assertThat(durable(life.ledger)).isEqualTo(before);
            assertThat(life.ledger.tables()).hasSize(1);
        }
    }

    /** As many as a put contacted until T_put, each of which refused. */
    @Test
    void anEndOfWhichHundredsHaveToBeToldIsReadAtBoot() {
        Life life = new Life(1, Long.MAX_VALUE);
        StreamTable table = life.table();
        List<NodeId> contacted =
                IntStream.range(0, 300).mapToObj(i -> NodeId.of("n" + i)).toList();
        life.ledger.finished(table, RangeList.of(0, 1), contacted, life.turn);

        life.restart();

        assertThat(life.ledger.find(table.id).duties.untold.owners()).hasSize(300);
    }

    /** Its name goes into the announcement that the entry may have been forwarded. */
    @Test
    void whoAdoptedAndFromWhomIsKnownAlsoWhenThatNodeIsNoOwnerAnyMore() {
        Life life = new Life(3, Long.MAX_VALUE / 2);
        StreamTable table = life.ledger.open(new StreamId(NODES.get(0), 9, 0), "queue");
        Custody custody = new Custody(EntryState.HELD, 2, NODES.subList(1, 3), NODES.subList(1, 3), NODES.get(0));
        life.ledger.stored(
                table,
                Group.encode(table.id, 0, "queue", custody, false, List.of(Slice.of(new byte[3]))),
                custody,
                life.turn);

        life.restart();

        StreamTable read = life.ledger.find(table.id);
        assertThat(read.custodyOf(0)).isEqualTo(custody);
    }
}
