package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.georep.outbox.Adoption;
import io.georep.outbox.Outbox;
import io.georep.spring.OnAdoption;
import io.georep.spring.OutboxListener;
import io.georep.spring.OutboxName;
import io.georep.spring.ReplicatedQueue;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What nobody reads and nobody sends to is told, at the start. */
class SilentTypoTest {
    @ParameterizedTest
    @CsvSource({
        "georep.nod-id,georep.node-id",
        "georep.seed,georep.seeds",
        "georep.terminate-after,georep.protocol.terminate-after",
        "georep.protocol.suspect-afetr,georep.protocol.suspect-after",
        "georep.outbox.sms.f,georep.outboxes.sms.f",
        "georep.outboxes.sms.retry.attemps,georep.outboxes.sms.retry.attempts",
        "georep.outboxes.my.queue.f,georep.outboxes[my.queue].f",
        "georep.outboxes.my.queue.retry.attempts,georep.outboxes[my.queue].retry.attempts",
        "georep.colour-of-the-sky,"
    })
    void anUnknownKeyIsToldWithTheNearestKnown(String key, String nearest) {
        assertThat(unknown(Map.of(key, "1")))
                .singleElement()
                .asString()
                .startsWith("property " + key)
                .endsWith(nearest == null ? "is not known." : "is not known: did you mean " + nearest + "?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "georep.node-id",
                "georep.nodeId",
                "georep.node_id",
                "GEOREP.NODEID",
                "georep.seeds",
                "georep.seeds[0]",
                "georep.protocol.suspect-after",
                "georep.outboxes.sms.f",
                "georep.outboxes[my.queue].retry.delay-min",
                "georep.outboxes.sms.deduplicationWindow",
                "georep.test.enabled",
                "georep.connectors.files.tasks.max",
                "georep.connectors.files.topics[0]",
                "georep.plugin-path",
                "management.endpoint.georep.access",
                "georepublic.of"
            })
    void whatBindsIsKnown(String key) {
        assertThat(unknown(Map.of(key, "1"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "GEOREP_NODEID,true",
        "GEOREP_NODE_ID,true",
        "GEOREP_SEEDS_0,true",
        "GEOREP_PROTOCOL_SUSPECTAFTER,true",
        "GEOREP_PROTOCOL_SUSPECT_AFTER,true",
        "GEOREP_OUTBOXES_SMS_F,true",
        "GEOREP_CONNECTORS_FILES_TASKS_MAX,true",
        "GEOREP_OUTBOXES_SMS_RETRY_DELAYMIN,true",
        "GEOREP_SERVICE_HOST,true",
        "GEOREP_SERVICE_PORT_HTTP,true",
        "GEOREP_PORT_7400_TCP_ADDR,true",
        "GEOREP_NODID,false",
        "GEOREP_OUTBOXES_SMS_COLOUR,false"
    })
    void variablesOfTheEnvironmentAreReadAsBootReadsThem(String variable, boolean known) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(variable, "1")));

        assertThat(new KeyCheck(environment, new DefaultListableBeanFactory())
                        .unknown()
                        .isEmpty())
                .isEqualTo(known);
    }

    @Test
    void everyDocumentedKeyIsKnown() {
        for (String line : PropertiesDocumentationTest.documentedKeys()) {
            assertThat(unknown(Map.of(line, "1"))).as(line).isEmpty();
        }
    }

    @Test
    void keysOfTheApplicationItselfAreItsOwn() {
        TestApplication.alone()
                .withUserConfiguration(OwnKeys.class)
                .withPropertyValues("georep.strict=true", "georep.example.colour=blue")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aWarningNamesKeyAndPlace() {
        try (CapturedChanges log = new CapturedChanges(KeyCheck.class.getName())) {
            TestApplication.alone()
                    .withPropertyValues("georep.nod-id=x")
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.texts(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("property georep.nod-id", "from property source", "did you mean georep.node-id?");
        }
    }

    @Test
    void aStrictApplicationDoesNotStartAndShowsAllThatIsWrong() {
        TestApplication.alone()
                .withPropertyValues(
                        "georep.strict=true",
                        "georep.nod-id=x",
                        "georep.cluster=a b",
                        "georep.protocol.put-timeout=1h",
                        "georep.protocol.min-rtt=-1s",
                        "georep.f=1")
                .run(context -> assertThat(FailureAnalysisTest.analysis(context.getStartupFailure())
                                .getDescription())
                        .contains("georep.nod-id")
                        .contains("cluster 'a b'")
                        .contains("putTimeout PT1H")
                        .contains("minRtt PT-1S")
                        .contains("f is 1 but there is no port"));
    }

    @Test
    void aListenerOnAQueueNobodyNamesIsTold() {
        try (CapturedChanges log = new CapturedChanges(UndeclaredQueues.class.getName())) {
            sending()
                    .withBean(Misheard.class)
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.texts(Level.WARN)).hasSize(2);
            assertThat(log.texts(Level.WARN).get(0)).startsWith("queue 'other'");
            assertThat(log.texts(Level.WARN).get(1))
                    .startsWith("queue 'smss'")
                    .contains(Misheard.class.getName() + ".forward", "did you mean 'sms'?");
        }
        sending()
                .withBean(Misheard.class)
                .withPropertyValues("georep.strict=true")
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining("queue 'smss'"));
    }

    @Test
    void aSettingDeclaresAQueueToo() {
        sending()
                .withBean(Misheard.class)
                .withPropertyValues(
                        "georep.strict=true", "georep.outboxes.smss.concurrency=1", "georep.outboxes.other.f=0")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static ApplicationContextRunner sending() {
        return TestApplication.alone().withUserConfiguration(Sending.class);
    }

    private static List<String> unknown(Map<String, Object> properties) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
        return new KeyCheck(environment, new DefaultListableBeanFactory()).unknown();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(OwnProperties.class)
    static class OwnKeys {}

    @ConfigurationProperties("georep.example")
    record OwnProperties(String colour) {}

    @Configuration(proxyBeanMethods = false)
    static class Sending {
        Sending(@OutboxName("sms") Outbox<String> sms) {}

        @Bean
        @ReplicatedQueue
        static BlockingQueue<String> outgoing() {
            return new LinkedBlockingQueue<>();
        }

        @OnAdoption("outgoing")
        void adoptedElement(Adoption<String> adoption) {}

        @OnAdoption("sms")
        void adopted(Adoption<String> adoption) {}
    }

    static class Misheard {
        @OutboxListener("smss")
        void forward(String text) {}

        @OnAdoption("other")
        void adopted(Adoption<String> adoption) {}
    }
}
