package io.georep.outbox.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.AdoptionRights;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.BootKind;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import io.georep.spi.PeerSelection;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Pods come under names nobody will use again: whatever the outbox keeps by name ends when the name is forgotten. */
class NamesOfTheGoneTest {
    private static final NodeId SELF = NodeId.of("a");
    private static final NodeId LOST = NodeId.of("lost");
    private static final String QUEUE = "queue";
    private static final int PODS = 20;

    private final HandMadePeers peers = new HandMadePeers(SELF);
    private final TestTurn turn = new TestTurn();
    private final OutboxProtocol node = new OutboxProtocol(ProtocolConfig.defaults(), peers, PeerSelection.random());

    private void settle() {
        for (int i = 0; i < 4; i++) {
            node.endOfTurn(turn);
            turn.completeStore();
        }
        node.endOfTurn(turn);
    }

    private void advance(Duration time) {
        turn.advance(time);
        node.onTimer(turn);
        settle();
    }

    private void message(NodeId from, int type, Slice body) {
        peers.peer(from).heardSentNanos = turn.now();
        node.onMessage(peers.peer(from), type, new BinReader(body), turn);
        settle();
    }

    private EntryId put(NodeId copy) {
        turn.forget();
        node.onCommand(
                new OutboxCommand.PutAll(List.of(new OutboxCommand.Put(QUEUE, 1, Slice.utf8("text"), "token"))), turn);
        settle();
        TestTurn.Sent sent = turn.sent(copy, OutboxMessages.REPLICATE).get(0);
        OutboxWire.Subject subject = OutboxWire.subject(OutboxMessages.REPLICATE, new BinReader(sent.body()));
        EntryId id = new EntryId(subject.stream(), subject.ranges().get(0)[0]);
        message(copy, OutboxMessages.ACK, OutboxMessages.ack(id.stream(), OutboxMessages.STATUS_STORED, 0, one(id)));
        return id;
    }

    private static RangeList one(EntryId id) {
        return RangeList.of(id.sequence(), id.sequence() + 1);
    }

    private Custody custody(EntryId id) {
        StreamTable table = node.inspect().ledger().find(id.stream());
        Custody custody = table == null ? null : table.custodyOf(id.sequence());
        assertThat(custody).isNotNull();
        return custody;
    }

    /**
     * A pod is met, gets a copy of an entry that is forwarded, refuses another one, and goes.
     *
     * @param confirms whether it lives long enough to say that it has deleted the first, and has no copy of the other
     */
    private void life(NodeId pod, EntryId waiting, boolean confirms) {
        peers.peer(pod);
        node.onPeerReachable(peers.peer(pod), turn);
        message(pod, OutboxMessages.ADOPTION, AdoptionRights.body(false));
        EntryId id = put(pod);
        node.onCommand(new OutboxCommand.Forwarded(List.of(id)), turn);
        settle();
        if (confirms) {
            message(pod, OutboxMessages.DELETED, OutboxMessages.ranges(id.stream(), one(id)));
        }

        turn.forget();
        advance(Duration.ofMinutes(1));
        assertThat(turn.sent(pod, OutboxMessages.REPLICATE))
                .as("a copy for the lost owner")
                .isNotEmpty();
        long epoch = custody(waiting).raised();
        message(
                pod,
                OutboxMessages.ACK,
                OutboxMessages.ack(waiting.stream(), OutboxMessages.STATUS_REFUSED, epoch, one(waiting)));
        if (confirms) {
            message(pod, OutboxMessages.RELEASED, OutboxMessages.ranges(waiting.stream(), one(waiting)));
        }

        HandMadePeers.HandMadePeer gone = peers.peer(pod);
        gone.state = PeerState.TERMINATED;
        gone.linked = false;
        node.onPeerChanged(gone, PeerState.SCHRODINGER, turn);
        settle();
        peers.all.remove(pod);
        advance(Duration.ofMinutes(1));
        assertThat(node.needs(pod)).isFalse();
        node.onPeerForgotten(pod);
        settle();
    }

    @Test
    void nothingIsKeptByTheNameOfAPodThatIsForgotten() {
        turn.ensure = peers::peer;
        peers.peer(LOST);
        node.boot(turn.disk(), turn);
        settle();
        node.onPeerReachable(peers.peer(LOST), turn);
        node.onCommand(new OutboxCommand.Credit(QUEUE, 1000), turn);
        EntryId waiting = put(LOST);
        peers.peer(LOST).removed = true;

        for (int i = 0; i < PODS; i++) {
            life(NodeId.of("pod-" + i), waiting, i % 2 == 0);
        }

        advance(ProtocolConfig.defaults().heartbeat());
        assertThat(keptBy(node)).contains(LOST.value()).noneMatch(name -> name.startsWith("pod-"));
        Replayed.assertSame(node.inspect().ledger(), turn.disk());
    }

    /** It may come back with a copy, and adopt. */
    @Test
    void aReleaseOfALiveEntryIsNotGivenUpWhileTheNameIsKnown() {
        ProtocolConfig config =
                ProtocolConfig.builder().tombstoneLife(Duration.ofMinutes(1)).build();
        OutboxFixture a = new OutboxFixture(config);
        a.stored(1, OutboxFixture.B);
        a.node.inspect().ledger().note(a.table(a.own()), Fact.Duty.REPLACED, OutboxFixture.D, RangeList.of(0, 1));

        a.settle().advance(config.tombstoneLife().multipliedBy(3));

        assertThat(a.table(a.own()).duties.unreleased.owners()).containsExactly(OutboxFixture.D);
    }

    /** Nobody can say any more whether it adopted and forwarded them; one that comes back all the same is late, and asks. */
    @Test
    void whatAForgottenNodeWasNotReleasedFromIsPossiblySent() {
        OutboxFixture a = OutboxFixture.hardened();
        a.stored(3, OutboxFixture.B);
        StreamTable table = a.table(a.own());
        a.node.inspect().ledger().note(table, Fact.Duty.REPLACED, OutboxFixture.D, RangeList.of(0, 1));
        a.node.inspect().ledger().note(table, Fact.Duty.CLAIMED, OutboxFixture.D, RangeList.of(1, 2));
        table.duties.becameUnproven(OutboxFixture.D, RangeList.of(2, 3));
        a.settle();

        a.node.onPeerForgotten(OutboxFixture.D);
        a.settle();

        assertThat(table.duties.unreleased.isEmpty()).isTrue();
        assertThat(table.duties.unconfirmed.isEmpty()).isTrue();
        assertThat(table.duties.unproven.isEmpty()).isTrue();
        assertThat(a.credit(3).settle().deliveries())
                .extracting(OutboxEvent.Delivered::possiblySent)
                .containsExactly(true, false, true);
    }

    /** A name may fade while the node is down, and then nobody tells the outbox that it is forgotten. */
    @Test
    void nobodyIsToldWhoseNameIsForgottenAtABoot() {
        OutboxFixture a = OutboxFixture.hardened();
        a.stored(1, OutboxFixture.B, OutboxFixture.C).credit(1).settle();
        StreamId stream = a.own();
        a.forwarded(stream, 0).settle();
        assertThat(a.table(stream).duties.untold.owners()).containsOnly(OutboxFixture.B, OutboxFixture.C);
        a.stored(1);
        a.node.inspect().ledger().note(a.table(stream), Fact.Duty.REPLACED, OutboxFixture.B, RangeList.of(1, 2));
        a.settle().peers.all.remove(OutboxFixture.B);

        a.reboot(BootKind.PROMPT);

        assertThat(a.table(stream).duties.untold.owners()).containsExactly(OutboxFixture.C);
        assertThat(a.table(stream).duties.unreleased.isEmpty()).isTrue();
        assertThat(a.table(stream).uncertain.all()).hasToString("[1..2]");
        assertThat(a.peers.find(OutboxFixture.B)).isNull();
        a.reboot(BootKind.PROMPT);
        assertThat(a.table(stream).duties.untold.owners()).as("for good").containsExactly(OutboxFixture.C);
    }

    /** Every node id that can be reached from an object by fields of this project, maps and collections. */
    private static Set<String> keptBy(Object root) {
        Set<String> names = new TreeSet<>();
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> open = new ArrayDeque<>(List.of(root));
        for (Object next = open.poll(); next != null; next = open.poll()) {
            if (next instanceof NodeId id) {
                names.add(id.value());
            } else if (!(next instanceof StreamId) && seen.add(next)) {
                parts(next, open);
            }
        }
        return names;
    }

    private static void parts(Object whole, Deque<Object> open) {
        if (whole instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                add(key, open);
                add(value, open);
            });
        } else if (whole instanceof Collection<?> items) {
            items.forEach(item -> add(item, open));
        } else if (whole instanceof Object[] items) {
            for (Object item : items) {
                add(item, open);
            }
        } else {
            for (Class<?> type = whole.getClass();
                    type != null && type.getName().startsWith("io.georep");
                    type = type.getSuperclass()) {
                fields(type, whole, open);
            }
        }
    }

    private static void fields(Class<?> type, Object whole, Deque<Object> open) {
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                try {
                    field.setAccessible(true);
                    add(field.get(whole), open);
                } catch (IllegalAccessException e) {
                    throw new AssertionError(field + " cannot be read", e);
                }
            }
        }
    }

    private static void add(Object part, Deque<Object> open) {
        if (part != null && !(part instanceof TestTurn)) {
            open.add(part);
        }
    }
}
