package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.Delivery;
import io.georep.spring.OutboxErrorHandler;
import io.georep.spring.ReplicatedBlockingQueue;
import io.georep.spring.TransactionCheck;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Who was promised what, what the database says, and what came. Thread-safe. */
final class StressAccount {
    private final AtomicLong sends = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final Set<String> database = ConcurrentHashMap.newKeySet();
    private final Map<String, CompletionStage<EntryId>> plain = new ConcurrentHashMap<>();
    private final Map<String, CompletionStage<EntryId>> transactional = new ConcurrentHashMap<>();
    private final Map<String, String> rowOfElement = new ConcurrentHashMap<>();
    private final Set<String> owedElements = ConcurrentHashMap.newKeySet();
    private final Set<EntryId> handled = ConcurrentHashMap.newKeySet();
    private final Set<String> arrived = ConcurrentHashMap.newKeySet();
    private final Set<String> elements = ConcurrentHashMap.newKeySet();
    private volatile boolean calm;

    long sends() {
        return sends.get();
    }

    void failed(RuntimeException error) {
        failures.incrementAndGet();
    }

    void plain(String payload, CompletionStage<EntryId> stage) {
        sends.incrementAndGet();
        plain.put(payload, stage);
    }

    void transactional(String payload, CompletionStage<EntryId> stage) {
        sends.incrementAndGet();
        transactional.put(payload, stage);
    }

    void committed(Collection<String> rows) {
        database.addAll(rows);
    }

    void owedElement(String element) {
        owedElements.add(element);
    }

    /** An element that was put in the transaction that wrote this row. */
    void transactionalElement(String element, String row) {
        rowOfElement.put(element, row);
    }

    /** Whether anything goes on that a run can do without at its end. */
    void calm() {
        calm = true;
    }

    // What the application does

    void arrived(Delivery<String> delivery) {
        arrived.add(delivery.payload());
    }

    void handled(Delivery<String> delivery) {
        handled.add(delivery.id());
    }

    boolean forgets() {
        return !calm && ThreadLocalRandom.current().nextInt(10) == 0;
    }

    void trouble(Delivery<String> delivery) {
        if (calm || delivery.attempt() > 3) {
            return;
        }
        switch (ThreadLocalRandom.current().nextInt(20)) {
            case 0 -> throw new IllegalStateException("not now");
            case 1 -> throw new AssertionError("an error");
            case 2 -> throw new HandlerFaultTest.Mute();
            case 3 -> throw new StackOverflowError();
            case 4 -> Thread.currentThread().interrupt();
            default -> {}
        }
    }

    OutboxErrorHandler.Decision moody(Delivery<?> delivery, Throwable error) {
        return switch (ThreadLocalRandom.current().nextInt(4)) {
            case 0 -> null;
            case 1 -> throw new HandlerFaultTest.Mute();
            case 2 -> throw new NoClassDefFoundError("gone");
            default -> OutboxErrorHandler.Decision.RETRY;
        };
    }

    TransactionCheck.Outcome check(String queue, Delivery<?> entry) {
        String payload = entry.payload().toString();
        switch (ThreadLocalRandom.current().nextInt(5)) {
            case 0 -> throw new NoClassDefFoundError("gone");
            case 1 -> {
                return null;
            }
            default -> {
                return database.contains(rowOfElement.getOrDefault(payload, payload))
                        ? TransactionCheck.Outcome.COMMITTED
                        : TransactionCheck.Outcome.ROLLED_BACK;
            }
        }
    }

    /** Takes elements as consumers do, and dies with some in hand. */
    void consumeUntilGone(BlockingQueue<String> queue, Random random) {
        try {
            for (int i = 0; i < 20; i++) {
                String element = queue.poll(50, TimeUnit.MILLISECONDS);
                if (element == null) {
                    continue;
                }
                switch (random.nextInt(4)) {
                    case 0 -> ReplicatedBlockingQueue.of(queue).giveBack(element);
                    case 1 -> {
                        return;
                    }
                    case 2 -> {
                        elements.add(element);
                        ReplicatedBlockingQueue.of(queue).acknowledge(element);
                    }
                    default -> elements.add(element); // the next poll says so
                }
            }
            queue.poll();
        } catch (InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    void drain(BlockingQueue<String> queue) {
        for (String element = queue.poll(); element != null; element = queue.poll()) {
            elements.add(element);
        }
    }

    // The account

    void judge(String run) {
        Map<String, EntryId> missing = new HashMap<>();
        Set<String> forbidden = new TreeSet<>();
        plain.forEach((payload, stage) -> {
            Object end = end(stage);
            if (end instanceof EntryId id && !handled.contains(id)) {
                missing.put(payload, id);
            } else if (end instanceof RejectedException) {
                forbidden.add(payload);
            }
        });
        transactional.forEach((payload, stage) -> {
            Object end = end(stage);
            if (!database.contains(payload)) {
                forbidden.add(payload);
            } else if (!(end instanceof EntryId id)) {
                throw new AssertionError(run + ": " + payload + " was committed without copies: " + end);
            } else if (!handled.contains(id)) {
                missing.put(payload, id);
            }
        });
        Set<String> missingElements = new TreeSet<>(owedElements);
        rowOfElement.forEach((element, row) -> {
            if (database.contains(row)) {
                missingElements.add(element);
            } else {
                forbidden.add(element);
            }
        });
        missingElements.removeAll(elements);
        assertThat(missing).as("%s: acknowledged, but not forwarded", run).isEmpty();
        assertThat(missingElements).as("%s: put, but not taken", run).isEmpty();
        forbidden.removeIf(payload -> !arrived.contains(payload) && !elements.contains(payload));
        assertThat(forbidden)
                .as("%s: rolled back or refused, but forwarded", run)
                .isEmpty();
        assertThat(List.of(handled.size(), elements.size(), database.size()))
                .as("something happened")
                .noneMatch(count -> count < 10);
    }

    private static Object end(CompletionStage<EntryId> stage) {
        return stage.handle((id, error) -> {
                    Object end =
                            error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
                    return id == null ? end : id;
                })
                .toCompletableFuture()
                .join();
    }
}
