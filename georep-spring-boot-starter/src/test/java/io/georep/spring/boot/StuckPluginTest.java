package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static io.georep.spring.boot.SinkBench.forwarded;
import static io.georep.spring.boot.SinkBench.recording;
import static io.georep.spring.boot.SinkBench.send;
import static io.georep.spring.boot.SinkBench.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.spring.Connectors;
import io.georep.spring.Connectors.State;
import io.georep.spring.connect.ListSource;
import io.georep.spring.connect.ListSource.World;
import io.georep.spring.connect.OddConverter;
import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A plugin, or a driver in it, that does not return: operators are told where it stands still. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class StuckPluginTest {
    private static final String SOONER = "georep.call.warn.after.ms=100";

    private final CountDownLatch answer = new CountDownLatch(1);
    private final CountDownLatch waits = new CountDownLatch(1);

    @AfterEach
    void goOn() {
        OddConverter.configuring = () -> {};
        answer.countDown();
    }

    /** As a JDBC driver does whose server is gone. */
    private void driverThatWaits() {
        waits.countDown();
        try {
            answer.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitTold(AssertableApplicationContext context, CapturedOutput output, String call) {
        await().atMost(SOON).until(() -> status(context).troubled());
        assertThat(status(context).toString()).contains(call + " has not returned for");
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(output)
                        .contains(call + " has not returned for")
                        .contains("driverThatWaits"));
    }

    @Test
    void aPutThatDoesNotReturnIsTold(CapturedOutput output) {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            if (!records.isEmpty()) {
                driverThatWaits();
            }
        };
        recording(SOONER).run(context -> {
            assertThat(status(context).troubled()).isFalse();
            send(context, "one");
            waits.await();
            awaitTold(context, output, "put");

            answer.countDown();
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            await().atMost(SOON).until(() -> !status(context).troubled());
        });
    }

    @Test
    void aFlushThatDoesNotReturnIsTold(CapturedOutput output) {
        Diary diary = RecordingSink.diary("rec");
        diary.preCommit = (task, current) -> {
            driverThatWaits();
            return current;
        };
        recording(SOONER).run(context -> {
            awaitTold(context, output, "preCommit");
            answer.countDown();
            await().atMost(SOON).until(() -> !status(context).troubled());
        });
    }

    /** It would be shown as running for ever. */
    @Test
    void aCloseThatDoesNotReturnIsTold(CapturedOutput output) {
        Diary diary = RecordingSink.diary("rec");
        diary.close = this::driverThatWaits;
        diary.put = (task, records) -> {
            if (!records.isEmpty() && waits.getCount() > 0) {
                throw new IllegalStateException("the target is away");
            }
        };
        recording(SOONER).run(context -> {
            send(context, "one");
            waits.await();
            awaitTold(context, output, "close");

            answer.countDown();
            await().atMost(SOON).until(() -> forwarded(context) == 1);
        });
    }

    @Test
    void aConverterThatDoesNotReturnWhenItIsConfiguredIsTold(CapturedOutput output) {
        RecordingSink.diary("rec");
        OddConverter.configuring = this::driverThatWaits;
        recording(SOONER, "value.converter=" + OddConverter.class.getName()).run(context -> {
            awaitTold(context, output, "start");
            answer.countDown();
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            await().atMost(SOON).until(() -> !status(context).troubled());
        });
    }

    @Test
    void aConnectorWhoseStartDoesNotReturnIsTold(CapturedOutput output) {
        Diary diary = RecordingSink.diary("rec");
        diary.start = this::driverThatWaits;
        recording(SOONER).run(context -> {
            awaitTold(context, output, "start");
            assertThat(status(context).state()).isEqualTo(State.RESTARTING);
            answer.countDown();
            await().atMost(SOON).until(() -> status(context).state() == State.RUNNING);
            await().atMost(SOON).until(() -> !status(context).troubled());
        });
    }

    private static ApplicationContextRunner listing() {
        return TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                .withPropertyValues(
                        "georep.connectors.rec.connector.class=" + ListSource.class.getName(),
                        "georep.connectors.rec." + SOONER,
                        "georep.connectors.rec.value.converter=org.apache.kafka.connect.storage.StringConverter");
    }

    /** Nobody would start it again, and no other node would take it over. */
    @Test
    void aSourceThatReturnsNeitherFromItsPollNorFromItsStopIsToldAndNotWaitedFor(CapturedOutput output) {
        World world = ListSource.world("rec");
        world.start = () -> world.stop = () -> {};
        world.poll = this::driverThatWaits;
        listing().withPropertyValues("georep.close-timeout=100ms").run(context -> {
            waits.await();
            world.poll = () -> {};
            CountDownLatch stops = new CountDownLatch(1);
            world.stop = () -> {
                stops.countDown();
                driverThatWaits();
            };
            context.getBean(Connectors.class).restart("rec");
            stops.await();

            await().atMost(SOON).until(() -> world.starts.size() == 2);
            await().atMost(SOON).untilAsserted(() -> assertThat(output).contains("stop has not returned for"));
        });
        assertThat(output).doesNotContain("Connector rec does not stop");
    }

    @Test
    void aSourceThatDoesNotReturnIsTold(CapturedOutput output) {
        World world = ListSource.world("rec");
        world.start = this::driverThatWaits;
        world.waits = true;
        listing().run(context -> {
            assertThat(context).hasNotFailed();
            awaitTold(context, output, "start");
            answer.countDown();
            await().atMost(SOON).until(() -> status(context).toString().contains("poll has not returned for"));
            world.waits = false;
            await().atMost(SOON)
                    .until(() ->
                            !context.getBean(Connectors.class).byName("rec").troubled());
        });
    }
}
