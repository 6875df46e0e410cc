package io.georep.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.Outbox;
import io.georep.outbox.SendInterceptor;
import io.georep.outbox.SendOptions;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

    private static final class Failing implements ObservationHandler<Observation.Context> {
        private final Step step;

        Failing(Step step) {
            this.step = step;
        }

        private void at(Step each) {
            if (each == step) {
                throw new IllegalStateException("handler fails at " + each);
            }
        }

        @Override
        public void onStart(Observation.Context context) {
            at(Step.START);
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            at(Step.OPEN);
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            at(Step.CLOSE);
        }

        @Override
        public void onError(Observation.Context context) {
            at(Step.ERROR);
        }

        @Override
        public void onStop(Observation.Context context) {
            at(Step.STOP);
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
        registry.observationConfig().observationHandler(new Failing(step));
        assertThat(send(CompletableFuture.completedFuture(ID))).isCompletedWithValue(ID);
        assertThat(registry.getCurrentObservationScope()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalIsTheRefusalWhateverAHandlerThrows(Step step) {
        registry.observationConfig().observationHandler(new Failing(step));
        IllegalStateException refusal = new IllegalStateException("no copies");

        assertThat(send(CompletableFuture.failedFuture(refusal)))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isSameAs(refusal);
        assertThat(registry.getCurrentObservationScope()).isNull();
    }

    @Test
    void theObservationOutsideIsCurrentAgain() {
        registry.observationConfig().observationHandler(context -> true);
        Observation outside = Observation.start("outside", registry);
        registry.observationConfig().observationHandler(new Failing(Step.CLOSE));
        Observation.Scope scope = outside.openScope();

        send(CompletableFuture.completedFuture(ID));

        assertThat(registry.getCurrentObservationScope()).isSameAs(scope);
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
