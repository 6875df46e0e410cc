package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.Adoption;
import io.georep.outbox.Delivery;
import io.georep.outbox.Outbox;
import io.georep.spring.AckMode;
import io.georep.spring.Acknowledgement;
import io.georep.spring.EntryHeader;
import io.georep.spring.OnAdoption;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import io.georep.spring.OutboxRetry;
import io.georep.spring.ReplicatedQueue;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

class FailureAnalysisTest {
    static Stream<Arguments> wrongSignatures() {
        return Stream.concat(wrongParameters(), wrongAnnotations());
    }

    private static Stream<Arguments> wrongParameters() {
        return Stream.of(
                wrong("two payloads", "Keep one", () -> new Object() {
                    @OutboxListener("q")
                    void forward(String one, Integer other) {}
                }),
                wrong("no payload", "Add a parameter for the payload", () -> new Object() {
                    @OutboxListener("q")
                    void forward() {}
                }),
                wrong("raw delivery", "Delivery<Sms>", () -> new Object() {
                    @OutboxListener("q")
                    @SuppressWarnings("rawtypes")
                    void forward(Delivery delivery) {}
                }),
                wrong("parameters disagree", "same type", () -> new Object() {
                    @OutboxListener("q")
                    void forward(String payload, Delivery<Integer> delivery) {}
                }),
                wrong("answer ignored", "Return void", () -> new Object() {
                    @OutboxListener("q")
                    boolean forward(String payload) {
                        return true;
                    }
                }),
                wrong("manual without acknowledgement", "Acknowledgement", () -> new Object() {
                    @OutboxListener(value = "q", ackMode = AckMode.MANUAL)
                    void forward(String payload) {}
                }),
                wrong("acknowledgement without manual", "AckMode.MANUAL", () -> new Object() {
                    @OutboxListener("q")
                    void forward(String payload, Acknowledgement acknowledgement) {}
                }),
                wrong("batch of single entries", "List<Sms>", () -> new Object() {
                    @OutboxListener(value = "q", batch = true)
                    void forward(String payload) {}
                }),
                wrong("list without batch", "batch = true", () -> new Object() {
                    @OutboxListener("q")
                    void forward(List<Delivery<String>> deliveries) {}
                }),
                wrong("adoption at a listener", "@OnAdoption", () -> new Object() {
                    @OutboxListener("q")
                    void forward(Adoption<String> adoption) {}
                }),
                wrong("header of another type", "Optional<String>", () -> new Object() {
                    @OutboxListener("q")
                    void forward(String payload, @EntryHeader("count") int count) {}
                }));
    }

    private static Stream<Arguments> wrongAnnotations() {
        return Stream.of(
                wrong("no queue", "Write the name", () -> new Object() {
                    @OutboxListener
                    void forward(String payload) {}
                }),
                wrong("no error handler", "OutboxErrorHandler", () -> new Object() {
                    @OutboxListener(value = "q", errorHandler = "nobody")
                    void forward(String payload) {}
                }),
                wrong("two listeners", "two queues", () -> new Object() {
                    @OutboxListener("q")
                    void one(String payload) {}

                    @OutboxListener(value = "q", id = "other")
                    void other(String payload) {}
                }),
                wrong("two types", "of their own", () -> new Object() {
                    @OutboxListener("q")
                    void forward(String payload) {}

                    @OnAdoption("q")
                    void adopted(Adoption<byte[]> adoption) {}
                }));
    }

    private static Arguments wrong(String what, String remedy, Supplier<Object> bean) {
        return Arguments.of(what, remedy, bean);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongSignatures")
    void saysWhatToWriteInstead(String what, String remedy, Supplier<Object> bean) {
        TestApplication.alone()
                .withBean("listener", Object.class, bean)
                .run(context -> assertThat(analysis(context.getStartupFailure()).getAction())
                        .contains(remedy));
    }

    @Test
    void namesTheInvalidProperty() {
        assertThat(failure(TestApplication.alone().withPropertyValues("georep.node-id=a/b"))
                        .getAction())
                .contains("georep.node-id");
    }

    @Test
    void namesThePropertiesOfANodeAlone() {
        FailureAnalysis analysis = failure(TestApplication.alone().withPropertyValues("georep.f=1"));

        assertThat(analysis.getDescription()).contains("f is 1");
        assertThat(analysis.getAction()).contains("georep.port").contains("georep.f");
    }

    @Test
    void namesThePortThatSeedsNeed() {
        assertThat(failure(TestApplication.alone().withPropertyValues("georep.seeds=other:7400"))
                        .getAction())
                .contains("georep.port");
    }

    @Test
    void namesTheQueueAndTheListenerThatBothWantItsEntries() {
        FailureAnalysis analysis = failure(
                TestApplication.alone().withUserConfiguration(Queue.class).withBean(ListenerOfTheQueue.class));

        assertThat(analysis.getDescription())
                .contains("queue 'sms' is a BlockingQueue with @ReplicatedQueue and has a listener")
                .contains(ListenerOfTheQueue.class.getName() + ".forward");
        assertThat(analysis.getAction()).contains("remove @ReplicatedQueue");
    }

    @Test
    void saysThatTheModuleOfTheLinksIsMissing() {
        FailureAnalysis analysis = new NettyFailureAnalyzer()
                .analyze(new IllegalStateException(new NoClassDefFoundError("io/georep/netty/MutualTls")));

        assertThat(analysis.getAction()).contains("io.georep:georep-netty");
        assertThat(new NettyFailureAnalyzer().analyze(new NoClassDefFoundError("org/example/Other")))
                .isNull();
    }

    @Test
    void namesTheProtocolSetting() {
        assertThat(failure(TestApplication.alone().withPropertyValues("georep.protocol.put-timeout=1h"))
                        .getAction())
                .contains("georep.protocol.put-timeout");
    }

    @Test
    void showsAllListenersThatAreWrongAndNamesThem() {
        FailureAnalysis analysis = failure(TestApplication.alone().withBean(ManyMistakes.class));

        assertThat(analysis.getDescription())
                .contains("4 mistakes")
                .contains(ManyMistakes.class.getName() + ".tooMany(java.lang.String)")
                .contains("concurrency is 0, allowed are 1 to 10000")
                .contains(".oddRetry(java.lang.String)")
                .contains("retry.factor is 'much'")
                .containsPattern("two listeners: listener (one|two) of queue q \\(")
                .contains(ManyMistakes.class.getName() + ".one")
                .contains(ManyMistakes.class.getName() + ".two")
                .contains("adoption callback (" + ManyMistakes.class.getName() + ".adopted")
                .contains("queue 'q' carries java.lang.String");
        assertThat(analysis.getAction()).contains("1. ").contains("4. ").contains("two queues");
    }

    @Test
    void hintsAtNothingTheMessageDoesNotMean() {
        FailureAnalysis analysis = failure(TestApplication.alone()
                .withPropertyValues("georep.host=localhost", "georep.port=7400", "georep.advertise=nowhere"));

        assertThat(analysis.getAction()).isEqualTo("Set georep.advertise as the message says.");
    }

    @Test
    void namesTheClassThatWantsAnOutbox() {
        assertThat(failure(TestApplication.alone().withBean(Nameless.class)).getDescription())
                .contains(Nameless.class.getName());
    }

    @Test
    void explainsAnOutboxWithoutName() {
        FailureAnalysis analysis = failure(TestApplication.alone().withBean(Nameless.class));

        assertThat(analysis.getAction()).contains("@OutboxName(\"outbox\")");
    }

    @Test
    void explainsAnOutboxWithoutType() {
        assertThat(failure(TestApplication.alone().withBean(Typeless.class)).getAction())
                .contains("Outbox<Sms>");
    }

    @Test
    void explainsAPayloadNobodyCanWrite() {
        ApplicationContextRunner withoutJackson = TestApplication.alone()
                .withClassLoader(new FilteredClassLoader(JsonMapper.class))
                .withBean(JsonSender.class);

        assertThat(failure(withoutJackson).getAction()).contains("spring-boot-starter-jackson");
    }

    static class ManyMistakes {
        @OutboxListener(value = "a", concurrency = "0")
        void tooMany(String text) {}

        @OutboxListener(value = "b", retry = @OutboxRetry(factor = "much"))
        void oddRetry(String text) {}

        @OutboxListener(value = "q", id = "one")
        void one(String text) {}

        @OutboxListener(value = "q", id = "two")
        void two(String text) {}

        @OnAdoption("q")
        void adopted(Adoption<byte[]> adoption) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Queue {
        @Bean
        @ReplicatedQueue(f = 0)
        BlockingQueue<String> sms() {
            return new LinkedBlockingQueue<>(10);
        }
    }

    static class ListenerOfTheQueue {
        @OutboxListener("sms")
        void forward(String text) {}
    }

    record Nameless(Outbox<String> outbox) {}

    record Typeless(@OutboxName("q") Outbox<?> outbox) {}

    record JsonSender(@OutboxName("q") Outbox<Sms> outbox) {}

    private static FailureAnalysis failure(ApplicationContextRunner runner) {
        FailureAnalysis[] found = new FailureAnalysis[1];
        runner.run(context -> found[0] = analysis(context.getStartupFailure()));
        return found[0];
    }

    static FailureAnalysis analysis(Throwable failure) {
        assertThat(failure).isNotNull();
        FailureAnalysis analysis = new GeoRepFailureAnalyzer().analyze(failure);
        assertThat(analysis).as("analysis of %s", failure).isNotNull();
        return analysis;
    }
}
