package io.georep.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.GeoRepException;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.model.StreamId;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendInterceptor;
import io.georep.outbox.SendOptions;
import io.georep.spi.Ticker;
import io.georep.spring.outbox.Deduplication;
import io.georep.spring.outbox.QueueSettings;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** One order of steps of producers with one key: the real deduplication and transactions over an outbox that answers when told. */
final class SendSchedule {
    private static final StreamId STREAM = new StreamId(NodeId.of("n1"), 1, 0);
    private static final EntryId OF_EARLIER_BOOT = new EntryId(new StreamId(NodeId.of("n1"), 7, 0), 0);
    private static final SendOptions KEY = SendOptions.defaults().producerKey("k");

    enum Step {
        SEND,
        SAVEPOINT,
        TO_SAVEPOINT,
        STORED,
        REFUSED,
        COMMIT,
        ROLL_BACK,
        LOSE_OUTCOME
    }

    /** What a producer does, step by step. */
    enum Kind {
        PLAIN(Step.SEND, Step.STORED),
        PLAIN_REFUSED(Step.SEND, Step.REFUSED),
        COMMITS(Step.SEND, Step.STORED, Step.COMMIT),
        COMMITS_EARLY(Step.SEND, Step.COMMIT, Step.STORED),
        COMMITS_REFUSED(Step.SEND, Step.REFUSED, Step.COMMIT),
        ROLLS_BACK(Step.SEND, Step.STORED, Step.ROLL_BACK),
        ROLLS_BACK_EARLY(Step.SEND, Step.ROLL_BACK, Step.STORED),
        LOSES_OUTCOME(Step.SEND, Step.STORED, Step.LOSE_OUTCOME),
        REPEATS_AFTER_SAVEPOINT(Step.SAVEPOINT, Step.SEND, Step.TO_SAVEPOINT, Step.SEND, Step.STORED, Step.COMMIT);

        final List<Step> steps;

        Kind(Step... steps) {
            this.steps = List.of(steps);
        }

        boolean transactional() {
            return this != PLAIN && this != PLAIN_REFUSED;
        }
    }

    private static final class Entry {
        final EntryId id;
        final boolean prepared;
        final CompletableFuture<EntryId> answer = new CompletableFuture<>();
        final List<Boolean> decisions = new ArrayList<>();
        boolean stored;

        Entry(EntryId id, boolean prepared) {
            this.id = id;
            this.prepared = prepared;
        }

        boolean delivered() {
            return stored && (!prepared || decisions.equals(List.of(true)));
        }
    }

    private static final class Producer {
        final Kind kind;
        final List<Entry> own = new ArrayList<>();
        List<TransactionSynchronization> suspended = new ArrayList<>();

        @Nullable
        CompletionStage<EntryId> answer;

        int ended = -1;
        int step;

        Producer(Kind kind) {
            this.kind = kind;
        }
    }

    final List<Entry> entries = new ArrayList<>();
    final List<Producer> producers = new ArrayList<>();
    final Set<EntryId> withdrawn = new HashSet<>();
    final TransactionalSends transactions =
            new TransactionalSends(new TransactionSettings(Duration.ZERO, Duration.ZERO, Duration.ZERO), () -> false);
    final Deduplication deduplication = new Deduplication(
            queue -> new QueueSettings(1, false, Integer.MAX_VALUE, Duration.ofHours(1), 10),
            Ticker.system(),
            () -> transactions);
    final Outbox<String> outbox = outbox();

    SendSchedule(Kind[] kinds) {
        for (Kind kind : kinds) {
            producers.add(new Producer(kind));
        }
    }

    void play(List<Integer> order) {
        for (int index : order) {
            Producer producer = producers.get(index);
            Step step = producer.kind.steps.get(producer.step++);
            if (producer.kind.transactional()) {
                enter(producer);
                perform(producer, step);
                leave(producer);
            } else {
                perform(producer, step);
            }
            checkUndecided();
        }
        for (Entry entry : entries) {
            if (!entry.answer.isDone()) {
                store(entry);
            }
        }
        judge();
    }

    /** As Spring resumes and suspends transactions. */
    private static void enter(Producer producer) {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(producer.ended < 0);
        for (TransactionSynchronization each : producer.suspended) {
            each.resume();
            TransactionSynchronizationManager.registerSynchronization(each);
        }
    }

    private static void leave(Producer producer) {
        producer.suspended = TransactionSynchronizationManager.getSynchronizations();
        producer.suspended.forEach(TransactionSynchronization::suspend);
        TransactionSynchronizationManager.clear();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    }

    private void perform(Producer producer, Step step) {
        switch (step) {
            case SEND -> send(producer);
            case SAVEPOINT -> {
                transactions.get(); // so that there is something to tell
                synchronizations().forEach(each -> each.savepoint("point"));
            }
            case TO_SAVEPOINT -> synchronizations().forEach(each -> each.savepointRollback("point"));
            case STORED -> producer.own.forEach(this::store);
            case REFUSED ->
                producer.own.forEach(entry -> entry.answer.completeExceptionally(
                        new RejectedException(RejectedException.Reason.QUEUE_FULL, "full")));
            case COMMIT -> commit(producer);
            case ROLL_BACK -> end(producer, TransactionSynchronization.STATUS_ROLLED_BACK);
            case LOSE_OUTCOME -> end(producer, TransactionSynchronization.STATUS_UNKNOWN);
        }
    }

    private void send(Producer producer) {
        boolean deliveredBefore = producers.stream().anyMatch(this::succeeded);
        int before = entries.size();
        producer.answer = deduplication
                .send(
                        new SendInterceptor.Call<>(outbox, List.of("x"), KEY),
                        outer -> transactions.send(outer, inner -> List.of(outbox.send("x", inner.options()))))
                .get(0);
        producer.own.addAll(entries.subList(before, entries.size()));
        if (deliveredBefore) {
            assertThat(entries).as("sent although an entry with the key counts").hasSize(before);
        }
    }

    private void store(Entry entry) {
        if (!entry.answer.isDone()) {
            entry.stored = true;
            entry.answer.complete(entry.id);
        }
    }

    private void commit(Producer producer) {
        int status = TransactionSynchronization.STATUS_COMMITTED;
        try {
            synchronizations().forEach(each -> each.beforeCommit(false));
        } catch (GeoRepException e) {
            status = TransactionSynchronization.STATUS_ROLLED_BACK;
        }
        end(producer, status);
    }

    private static void end(Producer producer, int status) {
        producer.ended = status;
        synchronizations().forEach(each -> each.afterCompletion(status));
    }

    private static List<TransactionSynchronization> synchronizations() {
        return TransactionSynchronizationManager.getSynchronizations();
    }

    private boolean succeeded(Producer producer) {
        CompletionStage<EntryId> answer = producer.answer;
        boolean committed =
                !producer.kind.transactional() || producer.ended == TransactionSynchronization.STATUS_COMMITTED;
        if (answer == null || !committed) {
            return false;
        }
        CompletableFuture<EntryId> future = answer.toCompletableFuture();
        return future.isDone() && !future.isCompletedExceptionally();
    }

    /**
     * As the check of undecided entries may look at any time: it decides on whatever no transaction here will. An entry
     * may have been stored long before its send is answered.
     */
    private void checkUndecided() {
        boolean answered = false;
        for (Producer producer : producers) {
            for (Entry entry : producer.own) {
                answered |= entry.prepared && entry.stored;
                boolean refused = entry.answer.isDone() && !entry.stored;
                boolean unknown = producer.ended == TransactionSynchronization.STATUS_UNKNOWN;
                if (entry.prepared && !refused && !unknown && entry.decisions.isEmpty()) {
                    assertThat(transactions.willDecide(entry.id))
                            .as("the check keeps off the entry of " + producer.kind)
                            .isTrue();
                }
            }
        }
        if (answered) {
            assertThat(transactions.willDecide(OF_EARLIER_BOOT))
                    .as("the check decides on what is from before")
                    .isFalse();
        }
    }

    private void judge() {
        for (Producer producer : producers) {
            CompletionStage<EntryId> answer = producer.answer;
            assertThat(answer).isNotNull();
            assertThat(answer.toCompletableFuture())
                    .as("an answer for everybody")
                    .isDone();
            if (producer.ended == TransactionSynchronization.STATUS_COMMITTED) {
                assertThat(succeeded(producer)).as("committed what failed").isTrue();
            }
            if (succeeded(producer)) {
                EntryId id = answer.toCompletableFuture().join();
                assertThat(entries.stream().filter(entry -> entry.id.equals(id)))
                        .as("the entry of " + producer.kind)
                        .singleElement()
                        .matches(Entry::delivered, "delivered");
            }
            judgeOwn(producer);
        }
        assertThat(entries.stream()
                        .filter(entry -> entry.decisions.contains(false))
                        .map(entry -> entry.id))
                .containsExactlyInAnyOrderElementsOf(withdrawn);
    }

    private void judgeOwn(Producer producer) {
        for (Entry entry : producer.own) {
            if (!entry.stored || !entry.prepared) {
                assertThat(entry.decisions).isEmpty();
            } else if (producer.ended == TransactionSynchronization.STATUS_UNKNOWN) {
                assertThat(entry.decisions).isEmpty();
                assertThat(transactions.willDecide(entry.id)).isFalse();
            } else {
                assertThat(entry.decisions).as("decided once").hasSize(1);
                assertThat(producer.ended == TransactionSynchronization.STATUS_COMMITTED
                                || !entry.decisions.contains(true))
                        .as("a rollback leaves nothing")
                        .isTrue();
            }
        }
    }

    @SuppressWarnings("unchecked")
    private Outbox<String> outbox() {
        return (Outbox<String>) Proxy.newProxyInstance(
                SendSchedule.class.getClassLoader(),
                new Class<?>[] {Outbox.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "name" -> "queue";
                    case "send" -> added(false);
                    case "prepare" -> added(true);
                    case "decide" -> decided((Collection<EntryId>) args[0], (Boolean) args[1]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private CompletionStage<EntryId> added(boolean prepared) {
        Entry entry = new Entry(new EntryId(STREAM, entries.size()), prepared);
        entries.add(entry);
        return entry.answer;
    }

    private @Nullable Object decided(Collection<EntryId> ids, boolean commit) {
        for (Entry entry : entries) {
            if (ids.contains(entry.id)) {
                assertThat(entry.stored).isTrue();
                assertThat(commit || withdrawn.add(entry.id)).isTrue();
                entry.decisions.add(commit);
            }
        }
        return null;
    }
}
