package io.georep;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.ClosedException;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.NodeDriver;
import io.georep.runtime.ProtocolEvent;
import io.georep.spi.ProtocolStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Callbacks of the application that fail, whatever with: all others are told what they wait for. */
class EventRouterTest {
    private final EventRouter router = new EventRouter("n1", new ChangeLog("n1", new RecordingLogger()));
    private final List<Object> told = new ArrayList<>();

    /** Cannot tell what it did, for this reason. */
    private record Silent(RuntimeException reason) implements LocalSide<String, Object, Object> {
        @Override
        public String service() {
            return "silent";
        }

        @Override
        public void event(Object event) {}

        @Override
        public CompletionStage<ProtocolStatistics> readStatistics() {
            if (reason instanceof ClosedException) {
                return CompletableFuture.failedFuture(reason);
            }
            throw reason;
        }
    }

    @Test
    void aProtocolThatCannotTellItsStatisticsKeepsThemFromNobody() {
        router.add(new ProtocolId(2, "p2", 1), new Silent(new IllegalStateException("lost count")));
        router.add(new ProtocolId(3, "p3", 1), new Side(told, () -> {}));

        assertThat(router.readStatistics().toCompletableFuture().join()).containsOnlyKeys("p2", "p3");
    }

    @Test
    void aStoppedNodeHasNoStatistics() {
        router.add(new ProtocolId(2, "p2", 1), new Side(told, () -> {}));
        router.add(new ProtocolId(3, "p3", 1), new Silent(new ClosedException("stopped")));

        assertThat(router.readStatistics().toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ClosedException.class);
    }

    /** Keeps what it is told, after what a test wants done. */
    private record Side(List<Object> told, Runnable before) implements LocalSide<String, Object, Object> {
        @Override
        public String service() {
            return "side";
        }

        @Override
        public void event(Object event) {
            before.run();
            told.add(event);
        }

        @Override
        public void time(long nowNanos) {
            before.run();
            told.add(nowNanos);
        }

        @Override
        public long nextDeadlineNanos() {
            return told.size();
        }

        @Override
        public void ended() {
            before.run();
            told.add("ended");
        }
    }

    private static void fail() {
        throw new Unspeakable();
    }

    @Test
    void eachSideHearsTheEventsOfItsOwnChannel() {
        List<Object> other = new ArrayList<>();
        router.add(new ProtocolId(2, "p2", 1), new Side(told, () -> {}));
        router.add(new ProtocolId(3, "p3", 1), new Side(other, () -> {}));

        router.events(List.of(new ProtocolEvent(2, "a"), new ProtocolEvent(3, "b"), new ProtocolEvent(2, "c")));

        assertThat(told).containsExactly("a", "c");
        assertThat(other).containsExactly("b");
    }

    @Test
    void aSideThatFailsKeepsNothingFromTheOthers() {
        router.add(new ProtocolId(2, "p2", 1), new Side(new ArrayList<>(), EventRouterTest::fail));
        router.add(new ProtocolId(3, "p3", 1), new Side(told, () -> {}));

        router.events(List.of(new ProtocolEvent(2, "a"), new ProtocolEvent(3, "b")));
        router.time(7);
        router.events(List.of(new NodeDriver.Ended(null, true)));

        assertThat(told).containsExactly("b", 7L, "ended");
        assertThat(router.ended).isDone();
        assertThat(router.left).isDone();
    }

    @Test
    void aSideThatHadNoMemoryToAnswerItsCallersIsToldOfTheEndAgain() {
        AtomicInteger attempts = new AtomicInteger();
        router.add(new ProtocolId(2, "p2", 1), new Side(told, () -> {
            if (attempts.incrementAndGet() <= 2) {
                throw new OutOfMemoryError("for the test");
            }
        }));

        router.events(List.of(new NodeDriver.Ended(null, true)));

        assertThat(told).containsExactly("ended");
        assertThat(router.ended).isDone();
    }

    /** Else it would go on, ready to all appearance, with entries or credit that nobody has any more. */
    @Test
    void theNodeEndsWhenASideIsNotToldSomethingForLackOfMemory() {
        List<Throwable> failures = new ArrayList<>();
        router.fail = failures::add;
        OutOfMemoryError error = new OutOfMemoryError("for the test");
        router.add(new ProtocolId(2, "p2", 1), new Side(told, () -> {
            throw error;
        }));

        router.events(List.of(new ProtocolEvent(2, "a")));
        assertThat(failures).containsExactly(error);
        router.time(7);
        assertThat(failures).containsExactly(error, error);
        router.failed(error); // a task, for example one that tells the node what handlers forwarded
        router.failed(new StackOverflowError());
        assertThat(failures).containsExactly(error, error, error);
    }

    @Test
    void timeIsWantedWhenTheFirstSideWantsIt() {
        told.addAll(List.of("one", "two"));
        router.add(new ProtocolId(2, "p2", 1), new Side(told, () -> {}));
        router.add(new ProtocolId(3, "p3", 1), new Side(new ArrayList<>(List.of("one")), () -> {}));

        assertThat(router.nextDeadlineNanos()).isEqualTo(1);
    }

    @Test
    void aCallbackThatFailsKeepsNoEventFromTheOthers() {
        List<PeerChange> changes = new ArrayList<>();
        router.onPeerChange.add(change -> fail());
        router.onPeerChange.add(changes::add);
        router.add(new ProtocolId(2, "p2", 1), new Side(told, () -> {}));

        router.events(List.of(
                new ProtocolEvent(
                        MembershipProtocol.CHANNEL,
                        new MembershipEvent.StateChanged(
                                NodeId.of("n2"), "eu", PeerState.ACTIVE, PeerState.TERMINATED)),
                new ProtocolEvent(2, "after")));

        assertThat(changes).hasSize(1);
        assertThat(told).containsExactly("after");
    }
}
