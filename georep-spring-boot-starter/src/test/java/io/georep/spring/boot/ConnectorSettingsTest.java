package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.model.ConfigurationException;
import io.georep.spring.Connectors;
import io.georep.spring.OutboxListener;
import io.georep.spring.connect.ListSource;
import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.connect.connector.Connector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Mistakes in the settings of connectors are told at the start, all at once. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class ConnectorSettingsTest {
    @TempDir
    Path directory;

    private static ApplicationContextRunner with(String... settings) {
        return TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                .withPropertyValues("georep.outboxes.sms.f=0")
                .withPropertyValues(Stream.of(settings)
                        .map(setting -> "georep.connectors." + setting)
                        .toArray(String[]::new));
    }

    private static final String[] RIGHT = {
        "rec.connector.class=" + RecordingSink.class.getName(), "rec.topics=sms", "rec.value.converter=StringConverter"
    };

    private static final String[] LISTING = {
        "list.connector.class=" + ListSource.class.getName(), "list.value.converter=StringConverter"
    };

    private static String[] rightAnd(String... more) {
        return Stream.concat(Stream.of(RIGHT), Stream.of(more)).toArray(String[]::new);
    }

    private static List<String> faults(AssertableApplicationContext context) {
        Throwable failure = context.getStartupFailure();
        while (failure != null && !(failure instanceof ConfigurationException)) {
            failure = failure.getCause();
        }
        assertThat(failure).as("failure of the start").isNotNull();
        return ((ConfigurationException) failure).faults();
    }

    @Test
    void allMistakesAreToldAtOnce() {
        with(
                        "a.connector.class=NoSuchSink",
                        "b.connector.class=" + RecordingSink.class.getName(),
                        "b.tasks.max=many",
                        "b.errors.tolerance=some",
                        "b.flush.size=0",
                        "b.value.converter=StringConverter",
                        "b.transforms=route",
                        "b.predicates=p",
                        "b.predicates.p.type=StringConverter")
                .run(context -> assertThat(faults(context))
                        .anySatisfy(fault -> assertThat(fault)
                                .startsWith("georep.connectors.a.connector.class: there is no Connector NoSuchSink")
                                .contains("georep.plugin-path"))
                        .anySatisfy(fault -> assertThat(fault)
                                .startsWith("georep.connectors.a.value.converter is missing")
                                .contains("StringConverter"))
                        .anySatisfy(fault -> assertThat(fault).startsWith("georep.connectors.b.topics is missing"))
                        .anySatisfy(fault -> assertThat(fault)
                                .startsWith("georep.connectors.b.tasks.max")
                                .contains("many"))
                        .anySatisfy(fault -> assertThat(fault).startsWith("georep.connectors.b.errors.tolerance"))
                        .anySatisfy(fault -> assertThat(fault)
                                .as("of the connector's own definition")
                                .startsWith("georep.connectors.b.flush.size"))
                        .anySatisfy(fault ->
                                assertThat(fault).startsWith("georep.connectors.b.transforms.route.type is missing"))
                        .anySatisfy(fault -> assertThat(fault).startsWith("georep.connectors.b.predicates.p.type"))
                        .hasSize(8));
    }

    @Test
    void theFailedStartSaysWhatToSet() {
        with("a.connector.class=FileStreamSink", "a.topics=sms").run(context -> {
            assertThat(faults(context)).hasSize(1);
            var analysis = new GeoRepFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis.getAction()).contains("georep.connectors.a.value.converter");
        });
    }

    @Test
    void anUnknownKeyIsWarnedOfWithTheNearestKnown(CapturedOutput output) {
        with(rightAnd("rec.flush.sise=3", "rec.taks.max=2", "rec.colour=blue")).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output)
                    .contains(
                            "georep.connectors.rec.flush.sise is not known: did you mean georep.connectors.rec.flush.size?")
                    .contains(
                            "georep.connectors.rec.taks.max is not known: did you mean georep.connectors.rec.tasks.max?")
                    .contains("georep.connectors.rec.colour is not known: neither the host nor a plugin declares it.");
        });
        with(rightAnd("rec.flush.sise=3"))
                .withPropertyValues("georep.strict=true")
                .run(context ->
                        assertThat(faults(context)).singleElement().asString().contains("flush.sise"));
    }

    /** Nothing reads it there, so what it was to bring about is missing. */
    @ParameterizedTest
    @CsvSource({
        "list.topics=sms,sinks",
        "list.georep.window=5,sinks",
        "list.topics.regex=s.*,sinks",
        "rec.georep.nodes=every,sources",
        "rec.georep.pending.records.max=5,sources"
    })
    void aKeyOfTheOtherKindIsNotKnown(String setting, String kind) {
        with(rightAnd(LISTING))
                .withPropertyValues("georep.connectors." + setting, "georep.strict=true")
                .run(context -> assertThat(faults(context))
                        .singleElement()
                        .asString()
                        .contains("georep.connectors." + setting.substring(0, setting.indexOf('=')))
                        .endsWith("is for " + kind));
    }

    /** Else it would drop bad records that its operator believes to be there. */
    @Test
    void aSourceWithAnOutboxForItsBadRecordsIsRefused() {
        with(rightAnd(LISTING))
                .withPropertyValues(
                        "georep.connectors.list.errors.tolerance=all",
                        "georep.connectors.list.errors.deadletterqueue.topic.name=bad")
                .run(context -> assertThat(faults(context))
                        .singleElement()
                        .asString()
                        .startsWith("georep.connectors.list.errors.deadletterqueue.topic.name is for sinks"));
    }

    /** A record that nobody can take would go round and round, each time as a new entry. */
    @ParameterizedTest
    @CsvSource({"sms,,true", "bad,sms,true", "bad,worst,false", "worst,sms,false"})
    void deadLettersThatComeBackAreRefused(String ofSms, String ofBad, boolean circle) {
        String dead = "errors.deadletterqueue.topic.name=";
        with(rightAnd(
                        "rec." + dead + ofSms,
                        "other.connector.class=" + RecordingSink.class.getName(),
                        "other.value.converter=StringConverter",
                        "other.topics=bad",
                        "other." + dead + (ofBad == null ? "" : ofBad)))
                .run(context -> {
                    if (circle) {
                        assertThat(faults(context))
                                .anySatisfy(fault -> assertThat(fault)
                                        .startsWith("georep.connectors.rec." + dead.replace("=", " is '" + ofSms))
                                        .contains("come back for ever"));
                    } else {
                        assertThat(context).hasNotFailed();
                    }
                });
    }

    @ParameterizedTest
    @CsvSource({"rec.topics,'sms,mail'", "rec.topics[0],sms"})
    void twoForwardersOfOneOutboxAreRefused(String key, String topics) {
        with(rightAnd(
                        "other.connector.class=" + RecordingSink.class.getName(),
                        "other.value.converter=StringConverter",
                        "other.topics=sms"))
                .run(context -> assertThat(faults(context))
                        .singleElement()
                        .asString()
                        .contains("georep.connectors.other.topics and georep.connectors.rec.topics"));
        with(
                        "rec.connector.class=" + RecordingSink.class.getName(),
                        "rec.value.converter=StringConverter",
                        key + "=" + topics)
                .withBean(Listener.class)
                .run(context -> assertThat(faults(context))
                        .singleElement()
                        .asString()
                        .contains("has the listener sms")
                        .contains("georep.connectors.rec"));
    }

    static class Listener {
        @OutboxListener("sms")
        void forward(byte[] payload) {}
    }

    @Test
    void aSinkOfAnOutboxThatNothingElseNamesIsWarnedOf(CapturedOutput output) {
        with(
                        "rec.connector.class=" + RecordingSink.class.getName(),
                        "rec.value.converter=StringConverter",
                        "rec.topics=smss")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .contains("georep.connectors.rec.topics names outbox 'smss'")
                            .contains("did you mean 'sms'?");
                });
    }

    /** Spring would take the first for the text NAME, and the last for what its environment has by that name. */
    @Test
    void referencesGoToTheConnectorAsItsHostReadsThem() {
        Diary diary = RecordingSink.diary("rec");
        with(rightAnd(
                        "rec.password=${env:PATH}",
                        "rec.table=${topic}",
                        "rec.user=${DB_USER}",
                        "rec.list[0]=${spring:topic}",
                        "rec.list[1]=b"))
                .withPropertyValues("topic=no", "DB_USER=app")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    await().atMost(SinkBench.SOON).until(() -> !diary.settings.isEmpty());
                    assertThat(diary.settings)
                            .containsEntry("password", System.getenv("PATH"))
                            .containsEntry("table", "${topic}")
                            .containsEntry("user", "app")
                            .containsEntry("list", "no,b");
                });
    }

    @Test
    void aReferenceToNothingFailsTheStart() {
        with(rightAnd("rec.password=${env:GEOREP_NO_SUCH_NAME}", "rec.token=${vault:a/b:c}"))
                .run(context -> assertThat(faults(context))
                        .hasSize(2)
                        .anySatisfy(fault -> assertThat(fault)
                                .startsWith("georep.connectors.rec.password has ${env:GEOREP_NO_SUCH_NAME}"))
                        .anySatisfy(fault -> assertThat(fault).contains("no config provider vault")));
    }

    @Test
    void withoutThePluginApiTheStartSaysWhatToAdd() {
        with(RIGHT)
                .withClassLoader(new FilteredClassLoader(Connector.class))
                .run(context -> assertThat(faults(context))
                        .singleElement()
                        .asString()
                        .contains("add the dependency org.apache.kafka:connect-api"));
    }

    @Test
    void withoutConnectorsThereIsNothing() {
        TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Connectors.class));
    }

    @Test
    void aPluginPathThatIsNotThereIsNamed() {
        with(RIGHT)
                .withPropertyValues("georep.plugin-path=" + directory.resolve("nowhere"))
                .run(context ->
                        assertThat(faults(context)).singleElement().asString().contains("nowhere"));
    }
}
