package io.georep.spring.boot;

import static io.georep.spring.boot.SinkBench.SOON;
import static io.georep.spring.boot.SinkBench.forwarded;
import static io.georep.spring.boot.SinkBench.recording;
import static io.georep.spring.boot.SinkBench.send;
import static io.georep.spring.boot.SinkBench.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.spring.Connectors.State;
import io.georep.spring.boot.HandlerFaultTest.Mute;
import io.georep.spring.connect.RecordingSink;
import io.georep.spring.connect.RecordingSink.Diary;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that a plugin brings along interrupt the threads that call them, for example to end a call in time, and some leave the
 * mark. Nothing of that may end a task or a connector for good.
 */
@Timeout(60)
class InterruptedPluginTest {
    private final AtomicInteger calls = new AtomicInteger();

    enum Call {
        START,
        PUT,
        PRE_COMMIT,
        STOP
    }

    /** Leaves the mark the first two times; fails, too, unless it stops. */
    private void interrupted() {
        if (calls.getAndIncrement() < 2) {
            Thread.currentThread().interrupt();
            throw new ConnectException("interrupted while it waited for the other side");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTaskWhoseThreadIsLeftInterruptedGoesOn(Call call) {
        Diary diary = RecordingSink.diary("rec");
        AtomicInteger puts = new AtomicInteger();
        diary.task = event -> {
            if (event.equals(call == Call.START ? "start" : call == Call.STOP ? "stop" : "")) {
                interrupted();
            }
        };
        diary.put = (task, records) -> {
            if (call == Call.STOP && !records.isEmpty() && puts.getAndIncrement() < 2) {
                throw new ConnectException("so that the task is stopped");
            }
            if (call == Call.PUT && !records.isEmpty()) {
                interrupted();
            }
        };
        diary.preCommit = (task, current) -> {
            if (call == Call.PRE_COMMIT) {
                interrupted();
            }
            return current;
        };
        recording("georep.restart.delay.max.ms=40").run(context -> {
            send(context, "one");

            await().atMost(SOON).until(() -> forwarded(context) == 1);
            await().atMost(SOON).until(() -> !status(context).troubled());
            assertThat(calls.get()).isGreaterThanOrEqualTo(2);
        });
    }

    @Test
    void aMarkThatACallLeavesIsNoFailure() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> Thread.currentThread().interrupt();
        recording().run(context -> {
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);
            send(context, "two");
            await().atMost(SOON).until(() -> forwarded(context) == 2);
            assertThat(diary.events).containsExactly("start");
        });
    }

    /** A client's own thread may come too late with that. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterruptionDuringThePauseEndsThePauseOnly(boolean ofTheConnector) {
        Diary diary = RecordingSink.diary("rec");
        AtomicReference<Thread> thread = new AtomicReference<>();
        Runnable failure = () -> {
            if (calls.getAndIncrement() == 0) {
                thread.set(Thread.currentThread());
                throw new ConnectException("the other side is away");
            }
        };
        if (ofTheConnector) {
            diary.start = failure;
        } else {
            diary.put = (task, records) -> {
                if (!records.isEmpty()) {
                    failure.run();
                }
            };
        }
        recording("georep.restart.delay.min.ms=3600000", "georep.restart.delay.max.ms=3600000")
                .run(context -> {
                    send(context, "one");
                    await().atMost(SOON)
                            .until(() -> thread.get() != null
                                    && status(context).troubled()
                                    && thread.get().getState() == Thread.State.TIMED_WAITING);

                    thread.get().interrupt();

                    await().atMost(SOON).until(() -> forwarded(context) == 1);
                });
    }

    /** A connector's own thread reports whatever ended it. */
    @Test
    void aConnectorThatReportsAnInterruptionIsStartedAgain() {
        Diary diary = RecordingSink.diary("rec");
        recording("georep.restart.delay.max.ms=40").run(context -> {
            send(context, "one");
            await().atMost(SOON).until(() -> forwarded(context) == 1);

            diary.context.raiseError(new InterruptedException("the thread that looks for changes ended"));

            await().atMost(SOON)
                    .until(() -> diary.events.stream().filter("start"::equals).count() == 2);
            send(context, "two");
            await().atMost(SOON).until(() -> forwarded(context) == 2);
            assertThat(status(context).state()).isEqualTo(State.RUNNING);
        });
    }

    @Test
    void aConnectorWhoseThreadIsLeftInterruptedGoesOn() {
        Diary diary = RecordingSink.diary("rec");
        diary.taskConfigs = host -> {
            if (calls.getAndIncrement() < 2) {
                Thread.currentThread().interrupt();
            }
        };
        recording("georep.restart.delay.max.ms=40").run(context -> {
            send(context, "one");

            await().atMost(SOON).until(() -> forwarded(context) == 1);
            assertThat(status(context).state()).isEqualTo(State.RUNNING);
        });
    }

    /** An error that cannot say what it is cannot be logged, either. */
    @Test
    void aTaskGoesOnAfterAnErrorThatCannotBeLogged() {
        Diary diary = RecordingSink.diary("rec");
        diary.put = (task, records) -> {
            if (!records.isEmpty() && calls.getAndIncrement() < 2) {
                throw new Mute();
            }
        };
        recording("georep.restart.delay.max.ms=40").run(context -> {
            send(context, "one");

            await().atMost(SOON).until(() -> forwarded(context) == 1);
        });
    }

    @Test
    void aConnectorGoesOnAfterAnErrorThatCannotBeLogged() {
        Diary diary = RecordingSink.diary("rec");
        diary.start = () -> {
            if (calls.getAndIncrement() < 2) {
                throw new Mute();
            }
        };
        recording("georep.restart.delay.max.ms=40").run(context -> {
            send(context, "one");

            await().atMost(SOON).until(() -> forwarded(context) == 1);
        });
    }
}
