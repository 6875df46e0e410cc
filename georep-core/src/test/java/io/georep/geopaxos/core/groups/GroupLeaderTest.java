package io.georep.geopaxos.core.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.consensus.LogEntry;
import io.georep.consensus.LogRecord;
import io.georep.consensus.LogTiming;
import io.georep.consensus.Seat;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.GroupEntry;
import io.georep.geopaxos.core.messages.OpId;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which SYNCs a leader proposes for operations that take one round if their groups agree. The other group has given later timestamps. */
class GroupLeaderTest {
    private static final NodeId SELF = NodeId.of("n1");
    private static final long FARTHER = 100_000;

    private final GeoGroups groups =
            new GeoGroups(List.of(SELF), List.of(List.of(SELF)), 1, node -> 0, new LogTiming(1, 16, 1, 48));
    private final Executor executor = new Executor(
            2, 0b11, new OrderedMapService(List.of()), new Rules(), (operation, time, outcome, result) -> {});
    private final Deque<Runnable> due = new ArrayDeque<>();
    private final List<GroupEntry.Sync> syncs = new ArrayList<>();
    private final GroupLog log = new GroupLog(
            0, new Seat(SELF, 7), groups, LogRecord.empty(List.of(SELF)), new Random(1), host(), outlet(), 0);
    private final GroupLeader leader = new GroupLeader(SELF, log, executor);
    private long slots;
    private long now;

    private GroupLog.Host host() {
        return (GroupLog.Host) Proxy.newProxyInstance(
                GroupLog.Host.class.getClassLoader(), new Class<?>[] {GroupLog.Host.class}, (proxy, method, args) -> {
                    if (method.getName().equals("send")) {
                        GeoMessage.Log sent = (GeoMessage.Log) args[1];
                        due.add(() -> log.log().onMessage(SELF, sent.message(), now));
                    } else if (method.getName().equals("decided")) {
                        decided((long) args[1], (LogEntry) args[2]);
                    }
                    return null;
                });
    }

    private void decided(long slot, LogEntry entry) {
        executor.decided(0, slot, entry);
        if (entry.kind() == LogEntry.COMMAND && GroupEntry.read(entry.body()) instanceof GroupEntry.Sync sync) {
            syncs.add(sync);
        }
    }

    private GeoOutlet outlet() {
        return (GeoOutlet) Proxy.newProxyInstance(
                GeoOutlet.class.getClassLoader(), new Class<?>[] {GeoOutlet.class}, (proxy, method, args) -> {
                    if (method.getName().equals("whenDurable")) {
                        due.add((Runnable) args[0]);
                    }
                    return null;
                });
    }

    /** One turn, after which what it has proposed is not durable yet. */
    private void turn() {
        leader.endOfTurn();
        log.log().endOfTurn(now);
    }

    private void turns() {
        for (int i = 0; i < 5; i++) {
            now++;
            turn();
            while (!due.isEmpty()) {
                due.remove().run();
            }
        }
    }

    @BeforeEach
    void lead() {
        for (int i = 0; i < 20; i++) {
            turns();
        }
        assertThat(log.log().leads()).isTrue();
        other(new GroupEntry.Sync(write(1, 1, 1).id(), FARTHER));
    }

    private static Operation write(long incarnation, long number, long clock) {
        MapEntry entry = new MapEntry(Slice.utf8("k" + number), Slice.utf8("v"), 0);
        Slice body = MapOperation.encode(new MapOperation.Put(entry, Guard.NONE));
        OpId id = new OpId(NodeId.of("n2"), incarnation, number);
        return new Operation(id, 0b11, Operation.SERVICE, 0, 0, 0, 0, clock, body);
    }

    /** The other group decides something. */
    private void other(GroupEntry entry) {
        executor.decided(1, ++slots, new LogEntry(LogEntry.COMMAND, entry.encode()));
    }

    private void orderedHere(Operation... operations) {
        for (Operation each : operations) {
            leader.order(each);
        }
        turns();
        assertThat(executor.pending()).hasSize(operations.length);
    }

    private void orderedThere(Operation operation) {
        other(new GroupEntry.Set(operation));
    }

    @Test
    void oneSyncIsForAllThatAreDueAndSaysTheLatest() {
        Operation first = write(1, 1, 10);
        Operation second = write(1, 2, 20);
        Operation third = write(1, 3, 30);
        orderedHere(first, second, third);
        orderedThere(third);
        orderedThere(first);
        orderedThere(second);
        turns();

        assertThat(syncs).containsExactly(new GroupEntry.Sync(second.id(), FARTHER + 3));
        assertThat(executor.pending()).isEmpty();
    }

    /** That one is of an operation of its own, so it is no less for the others. */
    @Test
    void whatIsNotAtOnceHasASyncOfItsOwn() {
        Operation own = write(1, 1, 0);
        Operation atOnce = write(1, 2, 10);
        orderedHere(own, atOnce);
        orderedThere(atOnce);
        orderedThere(own);
        other(new GroupEntry.Sync(own.id(), FARTHER + 2));
        turns();

        assertThat(syncs)
                .containsExactlyInAnyOrder(
                        new GroupEntry.Sync(own.id(), FARTHER + 2), new GroupEntry.Sync(atOnce.id(), FARTHER + 1));
        assertThat(executor.pending()).isEmpty();
    }

    @Test
    void whatIsUnderWayAndMovesTheClockFarEnoughTakesThePlaceOfASync() {
        Operation first = write(1, 1, 10);
        orderedHere(first);
        orderedThere(first);
        leader.order(write(1, 2, 5 * FARTHER));
        turns();

        assertThat(syncs).isEmpty();
        assertThat(executor.pending())
                .as("the one that the other group has not ordered")
                .hasSize(1);
    }

    /** It comes too late, so the clock stays. Meanwhile there was another one that waited for it, which is later. */
    @Test
    void whatWasUnderWayAndMovesNothingIsFollowedByASyncOfTheLatest() {
        Operation first = write(1, 1, 10);
        Operation second = write(1, 2, 20);
        orderedHere(first, second);
        orderedThere(first);
        leader.order(new Operation(
                new OpId(SELF, 2, 1),
                1,
                Operation.SERVICE,
                0,
                0,
                0,
                0,
                write(1, 4, 0).body()));
        leader.order(new Operation(
                new OpId(SELF, 1, 1),
                0b11,
                Operation.SERVICE,
                0,
                0,
                0,
                0,
                5 * FARTHER,
                write(1, 5, 0).body()));
        turn();
        orderedThere(second);
        turn();
        turns();

        assertThat(syncs).containsExactly(new GroupEntry.Sync(second.id(), FARTHER + 2));
        assertThat(executor.pending()).isEmpty();
    }

    @Test
    void aSyncForWhichTheLogHasNoRoomIsProposedLater() {
        Operation first = write(1, 1, 10);
        orderedHere(first);
        orderedThere(first);
        for (int number = 1; number <= 5_000; number++) {
            OpId id = new OpId(SELF, 1, number);
            leader.order(new Operation(
                    id, 1, Operation.SERVICE, 0, 0, 0, 0, write(1, 9, 0).body()));
        }
        turn();
        assertThat(syncs).isEmpty();
        turns();

        assertThat(syncs).containsExactly(new GroupEntry.Sync(first.id(), FARTHER + 1));
        assertThat(executor.pending()).isEmpty();
    }

    /** It moves the clock by 2^32 only, and there is always one more of these. */
    @Test
    void whatIsUnderWayAndCannotMoveTheClockFarEnoughTakesThePlaceOfNoSync() {
        long far = 1L << 40;
        other(new GroupEntry.Sync(write(1, 1, 1).id(), far));
        Operation first = write(1, 1, far + 1);
        orderedHere(first);
        orderedThere(first);
        for (int number = 2; number <= 5; number++) {
            leader.order(write(1, number, far + number));
            now++;
            turn();
            while (!due.isEmpty()) {
                due.remove().run();
            }
        }

        assertThat(syncs).containsExactly(new GroupEntry.Sync(first.id(), far + 1));
        assertThat(executor.waits(first.id())).isFalse();
    }
}
