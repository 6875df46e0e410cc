package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.bench.history.History;
import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ProducersTest {
    /** A node that keeps requests until the test answers them. */
    private static final class Desk implements Producers.Service {
        final List<DemoMessage.Submit> requests = new CopyOnWriteArrayList<>();
        volatile boolean open = true;

        @Override
        public boolean accepting() {
            return open;
        }

        @Override
        public boolean submit(DemoMessage.Submit request) {
            requests.add(request);
            return true;
        }
    }

    private final AttemptAccount account = new AttemptAccount();
    private final Desk first = new Desk();
    private final Desk second = new Desk();
    private final Producers producers = new Producers(List.of(first, second), account, History.none(), options());

    private static DemoOptions options() {
        Properties properties = new Properties();
        properties.setProperty("demo.entries", "6");
        properties.setProperty("demo.producers", "1");
        properties.setProperty("demo.nodes", "2");
        properties.setProperty("demo.seconds", "0");
        return DemoOptions.of(properties);
    }

    /** The same messages over a time, and some of them in reserve. */
    private static DemoOptions options(Duration traffic, int reserve) {
        DemoOptions its = options();
        return new DemoOptions(
                its.entries(),
                its.nodes(),
                its.f(),
                its.kill(),
                its.accidents(),
                its.delay(),
                its.producers(),
                traffic,
                its.operatorDelay(),
                its.payloadBytes(),
                its.durability(),
                its.suspectAfter(),
                its.terminateAfter(),
                its.tombstoneLife(),
                its.heapMiB(),
                reserve,
                its.sampleEvery(),
                its.patience());
    }

    private static EntryId id(long attempt) {
        return new EntryId(new StreamId(NodeId.of("node-1"), 1, 0), attempt);
    }

    private void answer(Desk desk, int request) {
        long attempt = desk.requests.get(request).attempt();
        producers.stored(attempt, id(attempt));
    }

    @AfterEach
    void stop() {
        producers.stop();
    }

    @Test
    void eachSendsItsNextMessageOnlyAfterTheAnswer() {
        producers.start();
        await().untilAsserted(() -> assertThat(first.requests).hasSize(1));
        await().untilAsserted(() -> assertThat(second.requests).hasSize(1));

        answer(first, 0);

        await().untilAsserted(() -> assertThat(first.requests).hasSize(2));
        assertThat(second.requests).hasSize(1);
        assertThat(producers.done()).isEqualTo(1);
        assertThat(producers.sends().getTotalCount()).isEqualTo(1);
    }

    /** Parts of messages add up in a hurry: what was sent is never more than all there are, and never waits for a part of one. */
    @Test
    void afterEachHurryAllIsSentAndTheReserveIsLeft() {
        producers.stop();
        Desk desk = new Desk();
        Producers hurried = new Producers(List.of(desk), account, History.none(), options(Duration.ofMillis(50), 2));
        hurried.start();
        int[] answered = {0};
        Runnable answers = () -> {
            while (answered[0] < desk.requests.size()) {
                long attempt = desk.requests.get(answered[0]++).attempt();
                hurried.stored(attempt, id(attempt));
            }
        };
        for (int hurry = 0; hurry < 40; hurry++) {
            int before = desk.requests.size();
            hurried.hurry(10);
            await().untilAsserted(() -> assertThat(desk.requests).hasSizeGreaterThan(before));
            hurried.hurry(1);
            await().untilAsserted(() -> {
                answers.run();
                assertThat(hurried.atReserve()).isTrue();
            });
        }
        int beforeReserve = desk.requests.size();
        hurried.useReserve();
        await().untilAsserted(() -> {
            answers.run();
            assertThat(hurried.finished()).isTrue();
        });
        hurried.stop();

        assertThat(desk.requests).hasSize(beforeReserve + 2);
    }

    @Test
    void repeatAtAnotherNodeWhatTheirOwnDidNotAnswer() {
        producers.start();
        await().untilAsserted(() -> assertThat(first.requests).hasSize(1));
        await().untilAsserted(() -> assertThat(second.requests).hasSize(1));
        first.open = false;

        assertThat(producers.disconnected(0)).isEqualTo(1);

        await().untilAsserted(() -> assertThat(second.requests).hasSize(2));
        assertThat(account.summary().indeterminate()).isEqualTo(1);
        assertThat(second.requests.get(1).attempt())
                .isNotEqualTo(first.requests.get(0).attempt());
    }

    private void answerAll() {
        for (Desk desk : List.of(first, second)) {
            for (DemoMessage.Submit request : desk.requests) {
                desk.requests.remove(request);
                producers.stored(request.attempt(), id(request.attempt()));
            }
        }
    }

    @Test
    void inAHurryMoreOfThemSendAtATimeAndAfterwardsAsManyAsBefore() {
        producers.hurry(2);
        producers.start();
        await().untilAsserted(() -> assertThat(first.requests).hasSize(2));
        await().untilAsserted(() -> assertThat(second.requests).hasSize(2));

        producers.hurry(1);
        answerAll();

        assertThat(first.requests.size() + second.requests.size()).isEqualTo(2);
    }

    @Test
    void keepTheReserveUntilItIsWanted() {
        Producers careful = new Producers(List.of(first, second), account, History.none(), withReserve(4));
        careful.start();
        try {
            await().untilAsserted(() ->
                    assertThat(first.requests.size() + second.requests.size()).isEqualTo(2));
            for (Desk desk : List.of(first, second)) {
                careful.stored(
                        desk.requests.get(0).attempt(), id(desk.requests.get(0).attempt()));
            }
            assertThat(careful.atReserve()).isTrue();
            assertThat(careful.finished()).isFalse();
            assertThat(first.requests.size() + second.requests.size()).isEqualTo(2);

            careful.useReserve();

            await().untilAsserted(() ->
                    assertThat(first.requests.size() + second.requests.size()).isEqualTo(4));
            assertThat(careful.atReserve()).isFalse();
        } finally {
            careful.stop();
        }
    }

    private static DemoOptions withReserve(int reserve) {
        DemoOptions o = options();
        return new DemoOptions(
                o.entries(),
                o.nodes(),
                o.f(),
                o.kill(),
                o.accidents(),
                o.delay(),
                o.producers(),
                o.traffic(),
                o.operatorDelay(),
                o.payloadBytes(),
                o.durability(),
                o.suspectAfter(),
                o.terminateAfter(),
                o.tombstoneLife(),
                o.heapMiB(),
                reserve,
                o.sampleEvery(),
                o.patience());
    }

    @Test
    void finishWhenEveryMessageIsAcknowledgedEvenAfterRefusals() {
        producers.start();
        await().untilAsserted(() -> assertThat(first.requests).hasSize(1));
        producers.refused(first.requests.get(0).attempt(), false, "QUEUE_FULL");

        await().atMost(Duration.ofSeconds(20)).until(() -> {
            for (Desk desk : List.of(first, second)) {
                for (DemoMessage.Submit request : desk.requests) {
                    desk.requests.remove(request);
                    producers.stored(request.attempt(), id(request.attempt()));
                }
            }
            return producers.finished();
        });

        assertThat(account.summary().acknowledged()).isEqualTo(6);
        assertThat(account.summary().rejected()).isEqualTo(1);
    }
}
