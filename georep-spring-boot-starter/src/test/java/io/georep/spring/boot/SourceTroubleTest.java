package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.model.EntryId;
import io.georep.model.IndeterminateException;
import io.georep.outbox.SendInterceptor;
import io.georep.spring.Connectors;
import io.georep.spring.boot.Refusals.Refusal;
import io.georep.spring.connect.ListSource;
import io.georep.spring.connect.ListSource.World;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the log says when a source cannot get on: enough to find out why, and not more each time. */
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class SourceTroubleTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final World world = ListSource.world("list");
    private final Refusals refusals = new Refusals("texts");

    private ApplicationContextRunner listing() {
        return TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepConnectAutoConfiguration.class))
                .withBean("refusals", Refusals.class, () -> refusals)
                .withPropertyValues(
                        "georep.outboxes.texts.f=0",
                        "georep.connectors.list.connector.class=" + ListSource.class.getName(),
                        "georep.connectors.list.georep.restart.delay.min.ms=20",
                        "georep.connectors.list.georep.restart.delay.max.ms=40",
                        "georep.connectors.list.value.converter=org.apache.kafka.connect.storage.StringConverter");
    }

    private static long lines(CapturedOutput output, String text) {
        return output.getOut().lines().filter(line -> line.contains(text)).count();
    }

    @Test
    void aPollThatIsTriedAgainIsToldWithItsErrorAtPowersOfTwo(CapturedOutput output) {
        world.failures.set(4);
        world.texts.add("one");
        listing().run(context -> {
            await().atMost(SOON).until(() -> world.committed.size() == 1);
            assertThat(lines(output, "RetriableException: the other side is away"))
                    .isEqualTo(3);
        });
    }

    @Test
    void anOutboxThatBreaksDownIsToldWithItsErrorOnce(CapturedOutput output) {
        world.texts.add("one");
        refusals.begin(Refusal.BROKEN);
        listing().run(context -> {
            await().atMost(SOON).until(() -> refusals.refused() > 2);
            refusals.end();
            await().atMost(SOON).until(() -> world.committed.size() == 1);
            assertThat(lines(output, "IllegalStateException: an advice of the application failed"))
                    .isEqualTo(1);
        });
    }

    @Test
    void manyRecordsThatCannotBeSentAreToldOnceInEachLifeOfTheTask(CapturedOutput output) {
        IntStream.range(0, 100).forEach(number -> world.texts.add(String.valueOf(number)));
        refusals.begin(Refusal.TOO_LARGE);
        listing().run(context -> {
            await().atMost(SOON).until(() -> world.starts.size() > 2);
            // By its loop, which stops at the first one, or by its commits, whoever is told first.
            await().atMost(SOON).until(() -> lines(output, "Task list-0 failed") > 0);
            long told = lines(output, "refused for a test: PAYLOAD_TOO_LARGE");
            assertThat(told).isPositive().isLessThanOrEqualTo(2L * world.starts.size());
        });
    }

    /** The record comes again only if the source gives it again, and nobody sends the old one any more. */
    @Test
    void aSendOfAnEarlierLifeThatFailsLaterIsNoProblemOfTheTask() {
        Queue<CompletableFuture<EntryId>> sends = new ConcurrentLinkedQueue<>();
        SendInterceptor slow = new SendInterceptor() {
            @Override
            public <T> List<CompletionStage<EntryId>> send(Call<T> call, Next<T> next) {
                CompletableFuture<EntryId> stage = new CompletableFuture<>();
                sends.add(stage);
                return List.of(stage);
            }
        };
        world.texts.add("one");
        listing()
                .withBean("slow", SendInterceptor.class, () -> slow)
                .withPropertyValues("georep.close-timeout=100ms")
                .run(context -> {
                    await().atMost(SOON).until(() -> !sends.isEmpty());
                    world.topicOf = text -> {
                        world.texts.clear(); // the source does not give it again
                        throw new IllegalStateException("the other side is away");
                    };
                    world.texts.add("two");
                    await().atMost(SOON).until(() -> world.starts.size() == 2);

                    sends.remove().completeExceptionally(new IndeterminateException("copies may exist"));
                    assertThat(context.getBean(Connectors.class).byName("list").toString())
                            .doesNotContain("does not take records");
                });
    }

    /** Its offset is far behind by then: all between would be sent again at the next start. */
    @Test
    void aTaskThatWasNotWaitedForDoesNotSetTheOffsetBack() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        CompletableFuture<Thread> stuck = new CompletableFuture<>();
        world.topicOf = text -> {
            if (stuck.complete(Thread.currentThread())) {
                answer.join();
            }
            return "texts";
        };
        IntStream.range(0, 12).forEach(number -> world.texts.add(String.valueOf(number))); // a poll returns ten
        listing().withPropertyValues("georep.close-timeout=100ms").run(context -> {
            Connectors connectors = context.getBean(Connectors.class);
            assertThat(world.starts.take()).isZero();
            stuck.join();
            connectors.restart("list");
            assertThat(world.starts.take()).isZero();
            await().atMost(SOON).until(() -> world.committed.size() == 12);
            connectors.restart("list");
            assertThat(world.starts.take()).isEqualTo(12);

            answer.complete(null);
            stuck.join().join();
            connectors.restart("list");
            assertThat(world.starts.take()).isEqualTo(12);
        });
    }
}
