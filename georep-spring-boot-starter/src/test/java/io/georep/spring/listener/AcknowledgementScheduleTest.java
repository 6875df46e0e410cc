package io.georep.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Retry;
import io.georep.spring.AckMode;
import io.georep.spring.Acknowledgement;
import io.georep.spring.OutboxErrorHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * A batch of two entries whose handler, consumer and container do everything they can in every order: each entry ends
 * once, as the first who spoke of it said, and the error handler hears of failures only.
 */
class AcknowledgementScheduleTest {
    private static final int LENGTH = 4;

    private enum Step {
        ALL_FORWARDED,
        ALL_FAILED,
        FIRST_FORWARDED,
        FIRST_FAILED,
        SECOND_FORWARDED,
        SECOND_FAILED,
        STOPPED
    }

    private enum End {
        FORWARDED,
        FAILED,
        GIVEN_BACK
    }

    static final class Listener {
        Acknowledgement all;
        List<Acknowledgement> each;
        RuntimeException thrown;

        void forward(List<Delivery<String>> deliveries, Acknowledgement all, List<Acknowledgement> each) {
            this.all = all;
            this.each = each;
            if (thrown != null) {
                throw thrown;
            }
        }
    }

    @Test
    void eachEntryEndsOnceAsTheFirstSaid() throws Exception {
        int orders = 0;
        for (boolean throwing : new boolean[] {false, true}) {
            for (int code = 0; code < Math.pow(Step.values().length, LENGTH); code++) {
                List<Step> steps = new ArrayList<>();
                for (int i = 0, rest = code; i < LENGTH; i++, rest /= Step.values().length) {
                    steps.add(Step.values()[rest % Step.values().length]);
                }
                play(steps, throwing);
                orders++;
            }
        }
        assertThat(orders).isEqualTo(2 * 2401);
    }

    private static void play(List<Step> steps, boolean throwing) throws Exception {
        Listener listener = new Listener();
        listener.thrown = throwing ? new IllegalStateException("from the handler") : null;
        List<EntryId> judged = new ArrayList<>();
        ListenerCalls<String> calls = calls(listener, (delivery, error) -> {
            judged.add(delivery.id());
            return OutboxErrorHandler.Decision.RETRY;
        });
        List<CompletionStage<?>> ends = new ArrayList<>();
        List<Delivery<String>> batch = List.of(delivery(0, ends), delivery(1, ends));
        calls.batch().handle(batch);
        End[] expected = new End[2];
        if (throwing) {
            told(expected, 0, End.FAILED);
            told(expected, 1, End.FAILED);
        }
        for (Step step : steps) {
            perform(step, listener, calls, expected);
        }
        for (int i = 0; i < 2; i++) {
            assertThat(end(ends.get(i)))
                    .as("entry %d after %s, throwing %s", i, steps, throwing)
                    .isEqualTo(expected[i]);
            boolean shared = throwing || !steps.isEmpty() && failedTogether(steps, i);
            assertThat(judged.contains(batch.get(i).id()))
                    .as("judged %d after %s", i, steps)
                    .isEqualTo(expected[i] == End.FAILED && !shared);
        }
        assertThat(judged).doesNotHaveDuplicates();
        assertThat(listener.all.ended()).isEqualTo(expected[0] != null && expected[1] != null);
    }

    /** What failed with the whole batch is not judged before it fails alone. */
    private static boolean failedTogether(List<Step> steps, int entry) {
        for (Step step : steps) {
            boolean speaksOfIt = switch (step) {
                case ALL_FORWARDED, ALL_FAILED, STOPPED -> true;
                case FIRST_FORWARDED, FIRST_FAILED -> entry == 0;
                case SECOND_FORWARDED, SECOND_FAILED -> entry == 1;
            };
            if (speaksOfIt) {
                return step == Step.ALL_FAILED;
            }
        }
        return false;
    }

    private static void perform(Step step, Listener listener, ListenerCalls<String> calls, End[] expected) {
        RuntimeException error = new IllegalArgumentException("from the consumer");
        switch (step) {
            case ALL_FORWARDED -> {
                listener.all.acknowledge();
                told(expected, 0, End.FORWARDED);
                told(expected, 1, End.FORWARDED);
            }
            case ALL_FAILED -> {
                listener.all.fail(error);
                told(expected, 0, End.FAILED);
                told(expected, 1, End.FAILED);
            }
            case FIRST_FORWARDED -> {
                listener.each.get(0).acknowledge();
                told(expected, 0, End.FORWARDED);
            }
            case FIRST_FAILED -> {
                listener.each.get(0).fail(error);
                told(expected, 0, End.FAILED);
            }
            case SECOND_FORWARDED -> {
                listener.each.get(1).acknowledge();
                told(expected, 1, End.FORWARDED);
            }
            case SECOND_FAILED -> {
                listener.each.get(1).fail(error);
                told(expected, 1, End.FAILED);
            }
            case STOPPED -> {
                calls.abandon();
                told(expected, 0, End.GIVEN_BACK);
                told(expected, 1, End.GIVEN_BACK);
            }
        }
    }

    private static void told(End[] expected, int entry, End end) {
        if (expected[entry] == null) {
            expected[entry] = end;
        }
    }

    private static End end(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            return null;
        }
        return future.handle((ignored, error) -> {
                    if (error == null) {
                        return End.FORWARDED;
                    }
                    return error instanceof CancellationException ? End.GIVEN_BACK : End.FAILED;
                })
                .join();
    }

    private static ListenerCalls<String> calls(Listener listener, OutboxErrorHandler errorHandler) throws Exception {
        Method method = Listener.class.getDeclaredMethod("forward", List.class, Acknowledgement.class, List.class);
        return new ListenerCalls<>(
                new ListenerMethod(listener, Listener.class, method, method, ArgumentPlan.Kind.BATCH, AckMode.MANUAL),
                new ListenerSettings("l", "q", true, true, true, 1, 10, 10, Retry.none(), errorHandler),
                HandlerAdvice.all(List.of()));
    }

    @SuppressWarnings("unchecked")
    private static Delivery<String> delivery(int number, List<CompletionStage<?>> ends) {
        EntryId id = new EntryId(new StreamId(NodeId.of("n1"), 1, 0), number);
        return (Delivery<String>) Proxy.newProxyInstance(
                AcknowledgementScheduleTest.class.getClassLoader(),
                new Class<?>[] {Delivery.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "id" -> id;
                    case "endsWith" -> {
                        ends.add((CompletionStage<?>) args[0]);
                        yield null;
                    }
                    default -> "x";
                });
    }
}
