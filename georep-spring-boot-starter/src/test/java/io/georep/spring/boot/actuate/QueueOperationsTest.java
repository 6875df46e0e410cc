package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.DeadLetter;
import io.georep.outbox.DeadLetters;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.Outboxes;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Entries are read with their payloads, which nobody asked for: few at a time, and no payload is looked at. */
class QueueOperationsTest {
    private static final int ENTRIES = 50;
    private static final int AT_ONCE = 16;
    private static final StreamId STREAM = new StreamId(NodeId.of("n1"), 1, 0);

    private final List<Integer> read = new ArrayList<>();
    private final List<Object> done = new ArrayList<>();
    private final QueueOperations operations = new QueueOperations(
            proxy(Outboxes.class, (proxy, method, args) -> method.getName().equals("opened") ? outbox() : done));

    @Test
    void undecidedEntriesAreReadFewAtATime() {
        assertThat(operations.undecided("q", null, 1000))
                .extracting(EndpointReport.Undecided::id)
                .containsExactlyElementsOf(texts(0, ENTRIES));
        assertThat(operations.undecided("q", id(9).toString(), 20))
                .extracting(EndpointReport.Undecided::id)
                .containsExactlyElementsOf(texts(10, 30));
        assertThat(read).isNotEmpty().allMatch(max -> max <= AT_ONCE);
    }

    @Test
    void deadLettersAreReadFewAtATime() {
        EndpointReport.LetterPage all = operations.deadLetters("q", null, 1000);
        EndpointReport.LetterPage some = operations.deadLetters("q", id(9).toString(), 20);
        EndpointReport.LetterPage rest = operations.deadLetters("q", id(29).toString(), 20);

        assertThat(all.letters()).extracting(EndpointReport.Letter::id).containsExactlyElementsOf(texts(0, ENTRIES));
        assertThat(all.more()).isFalse();
        assertThat(some.letters()).extracting(EndpointReport.Letter::id).containsExactlyElementsOf(texts(10, 30));
        assertThat(some.more()).isTrue();
        assertThat(rest.letters()).hasSize(20);
        assertThat(rest.more()).isFalse();
        assertThat(read).isNotEmpty().allMatch(max -> max <= AT_ONCE);
    }

    @Test
    void aReasonTellsTheKindOfErrorOnly() {
        assertThat(operations.deadLetters("q", null, 3).letters())
                .extracting(EndpointReport.Letter::reason)
                .containsExactly("com.example.Refused", "unreadable payload", "com.example.Silent");
    }

    @Test
    void decidesOnAllOrNone() {
        operations.decide("q", "withdraw", List.of(id(0).toString(), id(49).toString()));
        EndpointRefusal refusal = catchThrowableOfType(
                EndpointRefusal.class,
                () -> operations.decide("q", "commit", List.of(id(0).toString(), id(50).toString())));

        assertThat(done).containsExactly(List.of(id(0), id(49)), false);
        assertThat(refusal).hasMessageContaining(id(50).toString()).hasMessageContaining("nothing was done");
        assertThat(read).isNotEmpty().allMatch(max -> max <= AT_ONCE);
    }

    private Outbox<?> outbox() {
        return proxy(Outbox.class, (proxy, method, args) -> switch (method.getName()) {
            case "undecided" ->
                CompletableFuture.completedFuture(numbers((EntryId) args[0], (Integer) args[1])
                        .mapToObj(QueueOperationsTest::delivery)
                        .toList());
            case "deadLetters" -> letters();
            case "decide" -> {
                done.add(List.copyOf((Collection<?>) args[0]));
                yield done.add(args[1]) ? null : null;
            }
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    private DeadLetters<?> letters() {
        return proxy(DeadLetters.class, (proxy, method, args) -> {
            List<DeadLetter<Object>> page = numbers((EntryId) args[0], (Integer) args[1])
                    .mapToObj(
                            number -> new DeadLetter<>(id(number), (Object) "secret", 1, reason(number), Instant.EPOCH))
                    .toList();
            boolean more = page.isEmpty() || page.get(page.size() - 1).id().sequence() < ENTRIES - 1;
            return CompletableFuture.completedFuture(new DeadLetters.Page<>(page, more));
        });
    }

    private static String reason(long number) {
        return switch ((int) number) {
            case 0 -> "com.example.Refused: secret";
            case 1 -> "unreadable payload: com.example.Broken: secret: really";
            default -> "com.example.Silent";
        };
    }

    private LongStream numbers(EntryId after, int max) {
        read.add(max);
        long first = after == null ? 0 : after.sequence() + 1;
        return LongStream.range(first, Math.min(ENTRIES, first + max));
    }

    private static Delivery<?> delivery(long number) {
        return proxy(Delivery.class, (proxy, method, args) -> switch (method.getName()) {
            case "id" -> id(number);
            case "enqueuedAt" -> Instant.EPOCH;
            case "adopted" -> false;
            case "producerKey" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    private static EntryId id(long number) {
        return new EntryId(STREAM, number);
    }

    private static List<String> texts(long from, long to) {
        return LongStream.range(from, to)
                .mapToObj(number -> id(number).toString())
                .toList();
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(QueueOperationsTest.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
