package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.georep.GeoRepNode;
import io.georep.NodeState;
import io.georep.model.Durability;
import io.georep.spring.OutboxListener;
import io.georep.spring.boot.actuate.HttpNode.Answer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Who may use the endpoint {@code georep}, and what it says while its node cannot answer. */
class EndpointAccessTest {
    static class Receiver {
        @OutboxListener("mail")
        void forward(String payload) {}
    }

    private static HttpNode start(Class<?> more, String... properties) {
        return new HttpNode(List.of(Receiver.class, more), properties);
    }

    @Test
    void isReadOnlyByDefault() {
        try (HttpNode node = start(Receiver.class, "georep.node-id=n1")) {
            assertThat(node.get("georep").status()).isEqualTo(200);
            assertThat(node.get("georep/peers").status()).isEqualTo(200);

            assertThat(node.post("georep/outboxes/mail", "{\"action\": \"pause\"}")
                            .status())
                    .isEqualTo(405);
            assertThat(node.post("georep/peers/n1", "{\"action\": \"drain\"}").status())
                    .isEqualTo(405);
            assertThat(node.delete("georep/dead-letters/mail?ids=*").status()).isEqualTo(405);
            assertThat(node.get("georep/outboxes/mail")
                            .body()
                            .at("/listener/paused")
                            .asBoolean(true))
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"management.endpoint.georep.access=none", "management.endpoints.web.exposure.include=health"})
    void isHidden(String property) {
        try (HttpNode node = start(Receiver.class, "georep.node-id=n1", property)) {
            assertThat(node.get("health").status()).isEqualTo(200);
            assertThat(node.get("georep").status()).isEqualTo(404);
            assertThat(node.get("georep/node").status()).isEqualTo(404);
            assertThat(node.context.getBeansOfType(GeoRepWebExtension.class)).isEmpty();
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void saysThatTheNodeIsStopped(CapturedOutput output) {
        try (HttpNode node =
                start(Receiver.class, "georep.node-id=n1", "management.endpoint.georep.access=unrestricted")) {
            node.node().close();

            Answer all = node.get("georep");
            assertThat(all.status()).isEqualTo(200);
            assertThat(all.body().at("/node/state").asString()).isEqualTo("CLOSED");
            assertThat(node.get("georep/node").status()).isEqualTo(200);
            assertThat(List.of(
                            node.get("georep/peers"),
                            node.get("georep/outboxes"),
                            node.get("georep/outboxes/mail"),
                            node.get("georep/dead-letters/mail"),
                            node.get("georep/undecided/mail"),
                            node.post("georep/outboxes/mail", "{\"action\": \"pause\"}"),
                            node.post("georep/peers/n1", "{\"action\": \"drain\"}"),
                            node.post("georep/dead-letters/mail", "{\"action\": \"replay\", \"ids\": \"*\"}"),
                            node.delete("georep/dead-letters/mail?ids=*")))
                    .allSatisfy(answer -> {
                        assertThat(answer.status()).isEqualTo(503);
                        assertThat(answer.message()).contains("n1 is CLOSED", "start its application again");
                    });
        }
        assertThat(output).doesNotContain("Exception");
    }

    /** The node says that it runs, but stops before it answers. */
    @Test
    void saysThatTheNodeStoppedMeanwhile() {
        try (HttpNode node =
                start(StoppingMeanwhile.class, "georep.node-id=n1", "management.endpoint.georep.access=unrestricted")) {
            node.context.getBean(StoppingMeanwhile.class).stopped = true;
            node.node().halt();

            assertThat(List.of(
                            node.get("georep"),
                            node.get("georep/peers"),
                            node.get("georep/outboxes"),
                            node.get("georep/dead-letters/mail"),
                            node.get("georep/undecided/mail"),
                            node.post("georep/peers/n2", "{\"action\": \"drain\"}"),
                            node.post("georep/dead-letters/mail", "{\"action\": \"replay\", \"ids\": \"*\"}"),
                            node.delete("georep/dead-letters/mail?ids=*")))
                    .allSatisfy(answer -> {
                        assertThat(answer.status()).isEqualTo(503);
                        assertThat(answer.message()).contains("look at its state, then ask again");
                    });
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LEAVING", "FAILED"})
    void saysWhatToDoInEveryState(NodeState state) {
        GeoRepNode real =
                GeoRepNode.builder().nodeId("n1").durability(Durability.MEMORY).start();
        try {
            GeoRepNode node = answering(real, "state", () -> state);

            EndpointRefusal refusal =
                    catchThrowableOfType(EndpointRefusal.class, () -> EndpointRefusal.unlessRunning(node));

            assertThat(refusal.status()).isEqualTo(503);
            assertThat(refusal).hasMessageContaining("n1 is " + state + ": ");
            assertThat(refusal.getMessage()).contains("start its application again");
        } finally {
            real.halt();
        }
    }

    @Test
    void waitsForAnAnswerThatComes() throws Exception {
        CompletableFuture<String> late = new CompletableFuture<>();
        CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> NodeAnswers.of(late));

        late.complete("done");

        assertThat(answer.get(HttpNode.SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("done");
    }

    @Test
    void saysWhyTheNodeDidNotDoIt() {
        CompletableFuture<String> refused = CompletableFuture.failedFuture(new ExecutionException("disk", null));

        EndpointRefusal refusal = catchThrowableOfType(EndpointRefusal.class, () -> NodeAnswers.of(refused));

        assertThat(refusal.status()).isEqualTo(503);
        assertThat(refusal).hasMessageContaining("disk");
    }

    private static GeoRepNode answering(GeoRepNode real, String method, Supplier<Object> answer) {
        return (GeoRepNode) Proxy.newProxyInstance(
                GeoRepNode.class.getClassLoader(), new Class<?>[] {GeoRepNode.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals(method)) {
                        return answer.get();
                    }
                    try {
                        return called.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Gives the application a node that goes on saying that it runs. */
    static class StoppingMeanwhile implements BeanPostProcessor {
        volatile boolean stopped;

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof GeoRepNode real)) {
                return bean;
            }
            return answering(real, "state", () -> stopped ? NodeState.RUNNING : real.state());
        }
    }
}
