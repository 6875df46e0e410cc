package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.SoloNode;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.BatchFailedException;
import io.georep.outbox.DeadLetter;
import io.georep.outbox.Delivery;
import io.georep.outbox.Retry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of the entries of a batch when its call fails. */
@Timeout(60)
class BatchForwardingTest extends SoloNode {
    private static final EntryId OTHER = new EntryId(new StreamId(NodeId.of("other"), 1, 0), 7);

    /** Payloads of each call, in order. */
    private final List<Set<String>> calls = new CopyOnWriteArrayList<>();

    @Test
    void entriesThatAreNamedFailAndTheOthersAreForwarded() throws Exception {
        send("a", "b", "c");
        outbox.forwardBatches(
                batch -> {
                    called(batch);
                    if (batch.size() == 3) {
                        throw new BatchFailedException(
                                Map.of(batch.get(1).id(), new IOException("no such subscriber")));
                    }
                },
                options -> options.retry(Retry.fixed(Duration.ZERO)));

        awaitForwarded(3);

        assertThat(calls).containsExactly(Set.of("a", "b", "c"), Set.of("b"));
        assertThat(outbox.statistics().failedAttempts()).isEqualTo(1);
    }

    @Test
    void aNamedEntryIsGivenUpForItsOwnError() throws Exception {
        send("a", "b");
        outbox.forwardBatches(
                batch -> {
                    throw new BatchFailedException(Map.of(
                            batch.get(0).id(), new IllegalArgumentException("bad number"),
                            batch.get(1).id(), new IOException("busy")));
                },
                options -> options.retry(Retry.fixed(Duration.ofDays(1)).neverOn(IllegalArgumentException.class)));

        DeadLetter<String> letter = awaitDeadLetter();
        awaitParked(1);

        assertThat(letter.payload()).isEqualTo("a");
        assertThat(letter.attempts()).isEqualTo(1);
        assertThat(letter.reason()).contains("bad number");
    }

    @Test
    void aPoisonEntryTakesNoNeighbourToTheDeadLetters() throws Exception {
        send("a", "b", "poison", "c", "d");
        outbox.forwardBatches(this::failOnPoison, options -> options.retry(Retry.none()));

        awaitForwarded(4);
        DeadLetter<String> letter = awaitDeadLetter();

        assertThat(letter.payload()).isEqualTo("poison");
        assertThat(letter.attempts()).isEqualTo(2);
        assertThat(letter.reason()).contains("cannot read this");
        assertThat(calls.get(0)).containsExactlyInAnyOrder("a", "b", "poison", "c", "d");
        assertThat(calls.subList(1, calls.size()))
                .isNotEmpty()
                .allSatisfy(call -> assertThat(call).hasSize(1));
    }

    @Test
    void anEntryThatFailedAloneNeverSharesACallWithFreshOnes() throws Exception {
        send("a", "poison");
        outbox.forwardBatches(this::failOnPoison, options -> options.retry(Retry.fixed(Duration.ofMillis(4_900))));
        awaitParked(2);
        ticker.advance(Duration.ofSeconds(5));
        node.statistics();
        awaitForwarded(1);
        awaitParked(1);

        outbox.pause();
        send("b", "c");
        ticker.advance(Duration.ofSeconds(5));
        outbox.resume();
        awaitForwarded(3);

        assertThat(calls).filteredOn(call -> call.contains("poison")).first().isEqualTo(Set.of("a", "poison"));
        assertThat(calls).filteredOn(call -> call.contains("poison")).element(1).isEqualTo(Set.of("poison"));
        assertThat(calls)
                .filteredOn(call -> call.contains("b") || call.contains("c"))
                .noneMatch(call -> call.contains("poison"));
    }

    @Test
    void theBacklogOfAnOutageLeavesInBatches() throws Exception {
        List<Boolean> down = new ArrayList<>(List.of(true, true, true, true));
        send("a", "b", "c", "d", "e");
        outbox.forwardBatches(
                batch -> {
                    called(batch);
                    if (!down.isEmpty()) {
                        down.remove(0);
                        throw new IOException("consumer is down");
                    }
                },
                options -> options.retry(Retry.fixed(Duration.ofMillis(4_900))));
        awaitParked(5);
        ticker.advance(Duration.ofSeconds(5));
        node.statistics();
        awaitForwarded(2);
        awaitParked(3);

        ticker.advance(Duration.ofSeconds(5));
        node.statistics();
        awaitForwarded(5);

        assertThat(calls)
                .containsExactly(
                        Set.of("a", "b", "c", "d", "e"),
                        Set.of("a"),
                        Set.of("b"),
                        Set.of("c"),
                        Set.of("d"),
                        Set.of("e"),
                        Set.of("a", "b", "c"));
    }

    @Test
    void nothingIsForwardedWhenAHandlerNamesEntriesOfAnotherBatch() throws Exception {
        send("a", "b");
        outbox.forwardBatches(
                batch -> {
                    called(batch);
                    if (batch.size() == 2) {
                        throw new BatchFailedException(Map.of(OTHER, new IOException("no")));
                    }
                },
                options -> options.retry(Retry.fixed(Duration.ZERO)));

        awaitForwarded(2);

        assertThat(outbox.statistics().failedAttempts()).isEqualTo(2);
        assertThat(calls).containsExactlyInAnyOrder(Set.of("a", "b"), Set.of("a"), Set.of("b"));
    }

    @Test
    void stagesEndTheEntriesOfABatchOneByOne() throws Exception {
        List<CompletableFuture<Void>> answers = new CopyOnWriteArrayList<>();
        send("a", "bad", "c", "d");
        outbox.forwardBatches(
                batch -> {
                    called(batch);
                    for (Delivery<String> entry : batch) {
                        CompletableFuture<Void> answer = new CompletableFuture<>();
                        entry.endsWith(answer);
                        answers.add(answer);
                    }
                },
                options -> options.retry(Retry.none()));
        await(() -> answers.size() == 4);

        answers.get(0).complete(null);
        awaitForwarded(1);
        answers.get(1).completeExceptionally(new IOException("no such subscriber"));
        DeadLetter<String> letter = awaitDeadLetter();
        BatchFailedException lost = new BatchFailedException(new IOException("connection lost"));
        answers.get(2).completeExceptionally(lost);
        answers.get(3).completeExceptionally(lost);
        await(() -> answers.size() == 6);
        answers.subList(4, 6).forEach(answer -> answer.complete(null));
        awaitForwarded(3);

        assertThat(letter.payload()).isEqualTo("bad");
        assertThat(calls).containsExactlyInAnyOrder(Set.of("a", "bad", "c", "d"), Set.of("c"), Set.of("d"));
        assertThat(outbox.statistics().deadLettered()).isEqualTo(1);
    }

    @Test
    void aSharedStageEndsTheEntriesThatItsErrorDoesNotName() throws Exception {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        send("a", "bad", "c");
        outbox.forwardBatches(
                batch -> {
                    called(batch);
                    if (batch.size() == 3) {
                        batch.forEach(delivery -> delivery.endsWith(answer));
                        EntryId bad = batch.get(1).id();
                        answer.completeExceptionally(new BatchFailedException(Map.of(bad, new IOException("busy"))));
                    }
                },
                options -> options.retry(Retry.fixed(Duration.ZERO)));

        awaitForwarded(3);

        assertThat(calls).containsExactly(Set.of("a", "bad", "c"), Set.of("bad"));
        assertThat(outbox.statistics().failedAttempts()).isEqualTo(1);
    }

    @Test
    void aSharedStageThatNamesEntriesOfAnotherBatchEndsNone() throws Exception {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        send("a", "b");
        outbox.forwardBatches(
                batch -> {
                    called(batch);
                    if (batch.size() == 2) {
                        batch.forEach(delivery -> delivery.endsWith(answer));
                        answer.completeExceptionally(new BatchFailedException(
                                Map.of(batch.get(0).id(), new IOException("busy"), OTHER, new IOException("no"))));
                    }
                },
                options -> options.retry(Retry.fixed(Duration.ZERO)));

        awaitForwarded(2);

        assertThat(calls).containsExactlyInAnyOrder(Set.of("a", "b"), Set.of("a"), Set.of("b"));
        assertThat(outbox.statistics().failedAttempts()).isEqualTo(2);
    }

    @Test
    void aFailureThatNamesOtherEntriesOnlyIsStillAFailureForAHold() throws Exception {
        send("a", "b");
        outbox.forwardBatches(
                batch -> {
                    called(batch);
                    if (batch.size() == 2) {
                        EntryId second = batch.get(1).id();
                        batch.get(0)
                                .keep()
                                .failed(
                                        batch.get(0),
                                        new BatchFailedException(Map.of(second, new IOException("busy"))));
                    }
                },
                options -> options.retry(Retry.fixed(Duration.ZERO)));

        awaitForwarded(2);

        assertThat(calls).containsExactly(Set.of("a", "b"), Set.of("a"));
    }

    @Test
    void whatNoStageEndsIsForwardedWithTheReturn() throws Exception {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        send("a", "b", "c");
        outbox.forwardBatches(
                batch -> {
                    batch.get(0).endsWith(CompletableFuture.completedFuture("taken"));
                    batch.get(1).endsWith(answer);
                },
                options -> options.retry(Retry.none()));

        awaitForwarded(2);
        await(() -> outbox.statistics().active() == 1);
        answer.complete(null);
        awaitForwarded(3);
    }

    @Test
    void anEntryWhoseStageWasCompleteHasNotFailedWithTheOthers() throws Exception {
        send("a", "b");
        outbox.forwardBatches(
                batch -> {
                    called(batch);
                    if (batch.size() == 2) {
                        batch.get(0).endsWith(CompletableFuture.completedFuture("taken"));
                        throw new IOException("then the line broke");
                    }
                },
                options -> options.retry(Retry.fixed(Duration.ZERO)));

        awaitForwarded(2);

        assertThat(calls).containsExactly(Set.of("a", "b"), Set.of("b"));
    }

    private void failOnPoison(List<Delivery<String>> batch) throws IOException {
        called(batch);
        if (batch.stream().anyMatch(delivery -> delivery.payload().equals("poison"))) {
            throw new IOException("cannot read this");
        }
    }

    private void called(List<Delivery<String>> batch) {
        calls.add(Set.copyOf(batch.stream().map(Delivery::payload).toList()));
    }

    /** Sends before there is a handler, so that it gets one batch. */
    private void send(String... payloads) {
        outbox.sendAll(List.of(payloads))
                .forEach(stage -> stage.toCompletableFuture().join());
    }
}
