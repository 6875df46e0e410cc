package io.georep.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.Outbox;
import io.georep.outbox.Retry;
import io.georep.spring.AckMode;
import io.georep.testing.LocalCluster;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListenerContainerTest {
    static final class Listener {
        void forward(String payload) {}
    }

    @Test
    void whoWaitsForTheEndLeavesALaterStartAlone() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(1, builder -> builder.protocol(LocalCluster.quick()))) {
            Outbox<String> outbox = cluster.node(1).outbox("q", String.class, options -> options.f(0));
            Method method = Listener.class.getDeclaredMethod("forward", String.class);
            ListenerContainer<String> container = new ListenerContainer<>(
                    outbox,
                    new ListenerSettings("q", "q", false, false, true, 1, 10, 10, Retry.defaults(), null),
                    new ListenerMethod(
                            new Listener(), Listener.class, method, method, ArgumentPlan.Kind.SINGLE, AckMode.AUTO),
                    HandlerAdvice.all(List.of()),
                    new HandlerThreads(false));
            container.start();
            ListenerContainer.CallsAtWork end = container.takeNoMore();
            assertThat(container.running()).isFalse();

            container.start();

            assertThat(end.await(Duration.ofSeconds(30))).isTrue();
            assertThat(container.running()).isTrue();
        }
    }
}
