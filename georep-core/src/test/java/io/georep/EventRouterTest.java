package io.georep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.model.BrokenInvariantException;
import io.georep.model.ClosedException;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolStatistics;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.local.LocalSide;
import io.georep.protocol.membership.MembershipEvent;
import io.georep.protocol.membership.MembershipProtocol;
import io.georep.runtime.NodeDriver;
import io.georep.runtime.PeerInspection;
import io.georep.runtime.ProtocolEvent;
import io.georep.spi.Ticker;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Callbacks of the application that fail, whatever with: all others are told what they wait for. */
class EventRouterTest {
    private final EventRouter router =
            new EventRouter("n1", new ChangeLog("n1", new RecordingLogger()), Ticker.system());
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

    private void add(int channel, LocalSide<?, ?, ?> side) {
        router.add(new ProtocolId(channel, "p" + channel, 1)).attach(side);
    }

    /** Hands these over, and returns when all threads have done what they had to do and ended. */
    private void tell(Object... events) {
        router.start();
        router.accept(List.of(events));
        router.stop(20_000);
    }

    /** The same, and then that the driver has ended. */
    private void tellAndEnd(Object... events) {
        if (events.length > 0) {
            router.accept(List.of(events));
        }
        tell(new NodeDriver.Ended(null, true));
    }

    @Test
    void aProtocolThatCannotTellItsStatisticsKeepsThemFromNobody() {
        add(2, new Silent(new IllegalStateException("lost count")));
        add(3, new Side(told, () -> {}));

        assertThat(router.readStatistics().toCompletableFuture().join()).containsOnlyKeys("p2", "p3");
    }

    /** Its application thread is stuck in a callback, so no answer gets through. */
    private record Stuck(List<CompletableFuture<ProtocolStatistics>> asked)
            implements LocalSide<String, Object, Object> {
        @Override
        public String service() {
            return "stuck";
        }

        @Override
        public void event(Object event) {}

        @Override
        public CompletionStage<ProtocolStatistics> readStatistics() {
            CompletableFuture<ProtocolStatistics> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        }
    }

    @Test
    void aProtocolThatIsStuckKeepsItsStatisticsFromNobody() {
        List<CompletableFuture<ProtocolStatistics>> asked = new ArrayList<>();
        router.statistics.within = Duration.ofMillis(1);
        add(2, new Stuck(asked));
        add(3, new Side(told, () -> {}));
        router.start();

        Map<String, ProtocolStatistics> first = router.readStatistics()
                .toCompletableFuture()
                .orTimeout(20, TimeUnit.SECONDS)
                .join();

        assertThat(first).containsEntry("p3", ProtocolStatistics.NONE);
        assertThat(first.get("p2").summary()).containsOnlyKeys("p2");
        router.statistics.within = Duration.ofDays(1);
        assertThat(router.readStatistics().toCompletableFuture())
                .as("nobody waits for it again")
                .isCompletedWithValueMatching(read -> read.get("p2").summary().containsKey("p2"));
        assertThat(asked).hasSize(1);

        asked.get(0).complete(ProtocolStatistics.NONE);
        router.readStatistics();
        assertThat(asked).as("it answers again").hasSize(2);
        router.stop(20_000);
    }

    @Test
    void aCallbackThatIsStuckKeepsTheAnswersAboutPeersFromNobody() {
        CountDownLatch over = new CountDownLatch(1);
        router.onPeerChange.add(change -> uninterrupted(over));
        CompletableFuture<Object> asked = router.answers.ask(token -> true);
        PeerInspection.Ready answer = new PeerInspection.Ready(asked);
        router.start();

        router.accept(List.of(stateChange(), new ProtocolEvent(PeerInspection.CHANNEL, answer)));

        assertThat(asked.orTimeout(20, TimeUnit.SECONDS).join()).isSameAs(answer);
        over.countDown();
        router.stop(20_000);
    }

    /** A pool of the process may be busy with the application, or have no thread to be had. */
    @Test
    void answersAboutPeersComeFromAThreadOfTheNode() {
        CompletableFuture<Object> asked = router.answers.ask(token -> true);
        CompletableFuture<Boolean> ours = asked.thenApply(answer -> router.onApplicationThread());
        router.start();

        router.accept(List.of(new ProtocolEvent(PeerInspection.CHANNEL, new PeerInspection.Ready(asked))));

        assertThat(ours.orTimeout(20, TimeUnit.SECONDS).join()).isTrue();
        router.stop(20_000);
    }

    @Test
    void aStoppedNodeHasNoStatistics() {
        add(2, new Side(told, () -> {}));
        add(3, new Silent(new ClosedException("stopped")));

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
        }

        @Override
        public void ended() {
            before.run();
            told.add("ended");
        }
    }

    /** Answers whoever waits when it hears of the end. */
    private record LastWord(CompletableFuture<Void> answer) implements LocalSide<String, Object, Object> {
        @Override
        public String service() {
            return "last word";
        }

        @Override
        public void event(Object event) {}

        @Override
        public void ended() {
            answer.complete(null);
        }
    }

    private static void fail() {
        throw new Unspeakable();
    }

    @Test
    void eachSideHearsTheEventsOfItsOwnChannel() {
        List<Object> other = new ArrayList<>();
        add(2, new Side(told, () -> {}));
        add(3, new Side(other, () -> {}));

        tell(new ProtocolEvent(2, "a"), new ProtocolEvent(3, "b"), new ProtocolEvent(2, "c"));

        assertThat(told).containsExactly("a", "c");
        assertThat(other).containsExactly("b");
    }

    @Test
    void aSideThatFailsKeepsNothingFromTheOthers() {
        add(2, new Side(new ArrayList<>(), EventRouterTest::fail));
        add(3, new Side(told, () -> {}));

        tellAndEnd(new ProtocolEvent(2, "a"), new ProtocolEvent(3, "b"));

        assertThat(told).containsExactly("b", "ended");
        assertThat(router.ended).isDone();
        assertThat(router.left).isDone();
    }

    @Test
    void aSideThatHadNoMemoryToAnswerItsCallersIsToldOfTheEndAgain() {
        AtomicInteger attempts = new AtomicInteger();
        add(2, new Side(told, () -> {
            if (attempts.incrementAndGet() <= 2) {
                throw new OutOfMemoryError("for the test");
            }
        }));

        tellAndEnd();

        assertThat(told).containsExactly("ended");
        assertThat(router.ended).isDone();
    }

    /** Else it would go on, ready to all appearance, with entries or credit that nobody has any more. */
    @Test
    void theNodeEndsWhenASideIsNotToldSomethingForLackOfMemory() {
        List<Throwable> failures = new ArrayList<>();
        router.fail = failures::add;
        OutOfMemoryError error = new OutOfMemoryError("for the test");
        SideThread side = router.add(new ProtocolId(2, "p2", 1));
        side.attach(new Side(told, () -> {
            throw error;
        }));

        side.events(List.of(new ProtocolEvent(2, "a")));
        assertThat(failures).containsExactly(error);
        side.time(7);
        assertThat(failures).containsExactly(error, error);
        side.failed(error); // a task, for example one that tells the node what handlers forwarded
        side.failed(new StackOverflowError());
        assertThat(failures).containsExactly(error, error, error);
    }

    @Test
    void theNodeEndsWhenWhatASideKnowsContradictsItself() {
        List<Throwable> failures = new ArrayList<>();
        router.fail = failures::add;
        BrokenInvariantException error = new BrokenInvariantException("for the test");
        SideThread side = router.add(new ProtocolId(2, "p2", 1));
        side.attach(new Side(told, () -> {
            throw error;
        }));

        side.events(List.of(new ProtocolEvent(2, "a")));

        assertThat(failures).containsExactly(error);
    }

    @Test
    void aSideThatTakesItsTimeKeepsNothingFromTheOthers() {
        CountDownLatch others = new CountDownLatch(1);
        add(2, new Side(told, () -> {
            uninterrupted(others);
        }));
        add(3, new Side(new ArrayList<>(), others::countDown));

        tellAndEnd(new ProtocolEvent(2, "slow"), new ProtocolEvent(3, "quick"));

        assertThat(told).containsExactly("slow", "ended");
        assertThat(router.ended).isDone();
    }

    /** As a callback does that waits for an entry it sent, which nobody answers any more when the driver has died. */
    @Test
    void aCallbackThatWaitsForAnotherSideHearsOfTheEndFromIt() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        router.onPeerChange.add(change -> answer.join());
        add(2, new LastWord(answer));

        tellAndEnd(stateChange());

        assertThat(answer).isDone();
        assertThat(router.ended).isDone();
    }

    @Test
    void aSideThatWaitsForTheNodeHearsOfTheEndFromIt() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<Object> answer = router.answers.ask(token -> true);
        add(2, new Side(told, () -> {
            asked.countDown();
            answer.handle((none, error) -> error).join();
        }));
        router.start();
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();

        router.accept(List.of(new NodeDriver.Ended(null, true)));
        router.stop(20_000);

        assertThat(told).containsExactly("ended");
        assertThat(answer).isCompletedExceptionally();
        assertThat(router.ended).isDone();
    }

    /** One that takes its time keeps its own events in memory, and not what others were told in the same turns. */
    @Test
    void aSideThatTakesItsTimeKeepsNoEventOfOthersInMemory() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch heard = new CountDownLatch(1);
        add(2, new Side(new ArrayList<>(), () -> uninterrupted(over)));
        List<Object> heardByOther = Collections.synchronizedList(new ArrayList<>());
        add(3, new Side(heardByOther, heard::countDown));
        WeakReference<Object> event = turnOfBoth();
        router.start();
        assertThat(heard.await(20, TimeUnit.SECONDS)).isTrue();

        await().atMost(Duration.ofSeconds(20)).until(() -> {
            heardByOther.clear();
            System.gc();
            return event.get() == null;
        });

        over.countDown();
        router.stop(20_000);
    }

    private WeakReference<Object> turnOfBoth() {
        Object large = new Object();
        router.accept(new ArrayList<>(List.of(new ProtocolEvent(2, "slow"), new ProtocolEvent(3, large))));
        return new WeakReference<>(large);
    }

    private static ProtocolEvent stateChange() {
        return new ProtocolEvent(
                MembershipProtocol.CHANNEL,
                new MembershipEvent.StateChanged(NodeId.of("n2"), "eu", PeerState.ACTIVE, PeerState.TERMINATED));
    }

    private static void uninterrupted(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What somebody waits for, for example the end of the node, comes after all that was told before. */
    @Test
    void theNodeEndsNoEarlierThanItsSides() {
        CompletableFuture<Boolean> early = new CompletableFuture<>();
        add(2, new Side(told, () -> early.complete(router.ended.isDone())));

        tellAndEnd();

        assertThat(early).isCompletedWithValue(false);
        assertThat(router.ended).isDone();
    }

    @Test
    void aCallbackThatFailsKeepsNoEventFromTheOthers() {
        List<PeerChange> changes = new ArrayList<>();
        router.onPeerChange.add(change -> fail());
        router.onPeerChange.add(changes::add);
        add(2, new Side(told, () -> {}));

        tell(stateChange(), new ProtocolEvent(2, "after"));

        assertThat(changes).hasSize(1);
        assertThat(told).containsExactly("after");
    }
}
