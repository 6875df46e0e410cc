package io.georep.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendInterceptor;
import io.georep.outbox.SendOptions;
import io.georep.spring.listener.HandlerAdvice;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers of observations belong to somebody else. What they throw changes nothing for a send, or for the thread that sends. */
class ObservedSendsTest {
    enum Step {
        START,
        OPEN,
        CLOSE,
        ERROR,
        STOP
    }

    private record Handler(Consumer<Step> at) implements ObservationHandler<Observation.Context> {
        @Override
        public void onStart(Observation.Context context) {
            at.accept(Step.START);
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            at.accept(Step.OPEN);
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            at.accept(Step.CLOSE);
        }

        @Override
        public void onError(Observation.Context context) {
            at.accept(Step.ERROR);
        }

        @Override
        public void onStop(Observation.Context context) {
            at.accept(Step.STOP);
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    private static final EntryId ID = new EntryId(new StreamId(NodeId.of("n1"), 1, 0), 1);

    private final ObservationRegistry registry = ObservationRegistry.create();

    @SuppressWarnings("unchecked")
    private final Outbox<String> outbox = (Outbox<String>) Proxy.newProxyInstance(
            Outbox.class.getClassLoader(), new Class<?>[] {Outbox.class}, (proxy, method, arguments) -> "q");

    @ParameterizedTest
    @EnumSource
    void aSendIsSentAndAnsweredWhateverAHandlerThrows(Step step) {
        handlerFailsAt(step);
        assertThat(send(CompletableFuture.completedFuture(ID))).isCompletedWithValue(ID);
        assertThat(registry.getCurrentObservationScope()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalIsTheRefusalWhateverAHandlerThrows(Step step) {
        handlerFailsAt(step);
        IllegalStateException refusal = new IllegalStateException("no copies");

        assertThat(send(CompletableFuture.failedFuture(refusal)))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isSameAs(refusal);
        assertThat(registry.getCurrentObservationScope()).isNull();
    }

    /** Else the thread would keep the span that another handler made current, and a meter each send for ever. */
    @ParameterizedTest
    @EnumSource(names = {"START", "OPEN"})
    void anObservationThatDoesNotBeginLeavesNothingBehind(Step step) {
        List<Step> seen = new ArrayList<>();
        registry.observationConfig().observationHandler(new Handler(seen::add));
        handlerFailsAt(step);

        send(CompletableFuture.completedFuture(ID));

        assertThat(seen).startsWith(Step.START).endsWith(Step.STOP);
        assertThat(seen.contains(Step.CLOSE)).isEqualTo(seen.contains(Step.OPEN));
    }

    @ParameterizedTest
    @EnumSource(names = {"START", "OPEN", "CLOSE"})
    void theThreadOfAHandlerIsAsBeforeWhateverIsThrown(Step step) {
        handlerFailsAt(step);
        Delivery<?> delivery = (Delivery<?>) Proxy.newProxyInstance(
                Delivery.class.getClassLoader(), new Class<?>[] {Delivery.class}, (proxy, method, arguments) -> false);

        HandlerAdvice.Call call =
                new ObservedHandlers(registry, null).begin("q", "forward", List.of(delivery, delivery));
        call.close();
        call.ended(new IllegalStateException("operator is down"));

        assertThat(registry.getCurrentObservationScope()).isNull();
    }

    @Test
    void theObservationOutsideIsCurrentAgain() {
        registry.observationConfig().observationHandler(context -> true);
        Observation outside = Observation.start("outside", registry);
        handlerFailsAt(Step.CLOSE);
        Observation.Scope scope = outside.openScope();

        send(CompletableFuture.completedFuture(ID));

        assertThat(registry.getCurrentObservationScope()).isSameAs(scope);
    }

    /** It belongs to the thread, whatever the registry. */
    @AfterEach
    void leaveTheScope() {
        registry.setCurrentObservationScope(null);
    }

    private void handlerFailsAt(Step step) {
        registry.observationConfig().observationHandler(new Handler(each -> {
            if (each == step) {
                throw new LinkageError("handler fails at " + each);
            }
        }));
    }

    private CompletionStage<EntryId> send(CompletionStage<EntryId> answer) {
        return new ObservedSends(registry, null)
                .send(
                        new SendInterceptor.Call<>(outbox, List.of("payload"), SendOptions.defaults()),
                        new Answers(answer))
                .get(0);
    }

    private record Answers(CompletionStage<EntryId> answer) implements SendInterceptor.Next<String> {
        @Override
        public List<CompletionStage<EntryId>> send(SendInterceptor.Call<String> call) {
            return List.of(answer);
        }
    }
}
