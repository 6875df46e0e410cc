package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.keys.KeySpace;
import io.georep.spring.Connectors.State;
import io.georep.spring.connect.ConnectorOrders.Target;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnectorContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostedConnectorTest {
    private static final ClassLoader HERE = HostedConnectorTest.class.getClassLoader();
    private static final Map<String, String> SETTINGS = Map.of(
            "name", "lasting",
            "connector.class", RecordingSink.class.getName(),
            "topics", "sms",
            "tasks.max", "2",
            "georep.restart.delay.min.ms", "10",
            "value.converter", "org.apache.kafka.connect.storage.StringConverter");

    private final List<Long> attempts = new CopyOnWriteArrayList<>();
    private final AtomicInteger errors = new AtomicInteger();
    private final CountDownLatch turn = new CountDownLatch(1);
    private final List<HostedConnector.PluginRequests> lives = new CopyOnWriteArrayList<>();
    private final RecordingSink.Diary diary = RecordingSink.diary("lasting");
    private final ConnectorSettings settings = ConnectorSettings.of("lasting", SETTINGS);
    private final HostedConnector connector =
            new HostedConnector(settings, new Kind(), new ConnectorOrders(store(), "lasting"));

    /** Whether it is the turn of this node. */
    private volatile boolean mayRun;

    /** What happens first when its tasks stop, and last when they start. */
    private volatile Runnable tasksStop = () -> {};

    private volatile Runnable tasksStart = () -> {};

    private volatile boolean paused;

    private KeySpace store() {
        return (KeySpace) Proxy.newProxyInstance(HERE, new Class<?>[] {KeySpace.class}, (space, method, arguments) -> {
            fail();
            return CompletableFuture.completedFuture(null);
        });
    }

    private void fail() {
        attempts.add(System.nanoTime());
        if (errors.getAndDecrement() > 0) {
            throw new OutOfMemoryError("for the test");
        }
    }

    private final class Kind implements ConnectorKind {
        @Override
        public boolean isSink() {
            return true;
        }

        @Override
        public Class<? extends Connector> connectorClass() {
            return RecordingSink.class;
        }

        @Override
        public ConnectorContext context(HostedConnector.PluginRequests requests, HostMetrics metrics) {
            lives.add(requests);
            return (SinkConnectorContext) Proxy.newProxyInstance(
                    HERE, new Class<?>[] {SinkConnectorContext.class}, (self, method, given) -> null);
        }

        @Override
        public boolean mayRunHere() {
            turn.countDown();
            return mayRun;
        }

        @Override
        public void ended() {
            fail();
        }

        @Override
        public TaskGroup group(Class<? extends Task> taskClass, LongAdder failures) {
            return new Group(
                    new TaskParts(settings, new Plugins(HERE, List.of()), RecordingSink.class, taskClass, 0, failures));
        }
    }

    private final class Group implements TaskGroup {
        private final TaskParts parts;
        private List<IdleTask> tasks = List.of();

        Group(TaskParts parts) {
            this.parts = parts;
        }

        @Override
        public void start(List<Map<String, String>> taskSettings, boolean pausedNow) {
            tasks = List.of(new IdleTask(parts, pausedNow));
            tasksStart.run();
        }

        @Override
        public void stop() {
            tasksStop.run();
        }

        @Override
        public List<? extends TaskRunner> tasks() {
            return tasks;
        }
    }

    /** Remembers whether it is to pause. */
    private final class IdleTask extends TaskRunner {
        IdleTask(TaskParts parts, boolean pausedNow) {
            super(parts, pausedNow);
            paused = pausedNow;
        }

        @Override
        int pending() {
            return 0;
        }

        @Override
        void session() {}

        @Override
        void wakeUp() {}

        @Override
        void pause(boolean value) {
            paused = value;
        }
    }

    @AfterEach
    void end() {
        errors.set(0);
        connector.close();
        assertThat(connector.awaitEnd(30_000)).isTrue();
    }

    /** A plugin may interrupt it at any time. */
    @Test
    void anInterruptDoesNotEndThePausesBetweenItsErrors() {
        errors.set(Integer.MAX_VALUE);
        connector.begin();
        await().atMost(Duration.ofSeconds(30)).until(() -> connector.status().troubled());

        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("georep-connect-lasting"))
                .forEach(Thread::interrupt);
        int before = attempts.size();
        await().atMost(Duration.ofSeconds(30)).until(() -> attempts.size() > before + 2);

        assertThat(attempts.get(before + 2) - attempts.get(before + 1))
                .as("a pause of a second")
                .isGreaterThan(900_000_000);
    }

    /** Nobody else would start it again, and it would be shown in the state of that moment for ever. */
    @Test
    void anErrorDoesNotEndItsThread() throws Exception {
        errors.set(Integer.MAX_VALUE);
        connector.begin();
        await().atMost(Duration.ofSeconds(30)).until(() -> connector.status().troubled());
        assertThat(connector.status().failures()).isPositive();
        errors.set(0);
        turn.await();

        errors.set(1);
        connector.close();

        assertThat(connector.awaitEnd(30_000)).isTrue();
        assertThat(connector.status().state()).isEqualTo(State.STOPPED);
        connector.begin();
    }

    /** Its threads would run on, and what they ask for would disturb the next life. */
    @Test
    void aStartThatFailsIsStopped() {
        AtomicInteger stops = new AtomicInteger();
        AtomicBoolean fails = new AtomicBoolean(true);
        diary.start = () -> {
            if (fails.getAndSet(false)) {
                throw new IllegalStateException("for the test");
            }
        };
        diary.stop = stops::incrementAndGet;
        mayRun = true;
        connector.begin();
        await().until(() -> connector.status().state() == State.RUNNING);

        assertThat(stops).hasValue(1);
        CountDownLatch followed = new CountDownLatch(1);
        tasksStop = followed::countDown;
        lives.get(0).raise(new IllegalStateException("of a thread that outlives its connector"));
        diary.tasks = 1;
        lives.get(1).reconfigure();
        await().until(() -> followed.getCount() == 0 && connector.status().state() == State.RUNNING);
        assertThat(lives).as("starts").hasSize(2);
    }

    /** The same for one whose start was never tried: it has its context nevertheless. */
    @Test
    void whatALifeThatWasRefusedAsksForIsNotForTheNext() throws Exception {
        diary.refuses = true;
        mayRun = true;
        connector.begin();
        await().until(() -> lives.size() > 1);
        diary.refuses = false;
        await().until(() -> connector.status().state() == State.RUNNING);
        int before = lives.size();
        CountDownLatch again = new CountDownLatch(1);
        tasksStart = again::countDown;
        diary.tasks = 1;

        lives.get(0).raise(new IllegalStateException("of a thread that outlives its connector"));
        lives.get(before - 1).reconfigure();

        again.await();
        assertThat(lives).as("starts").hasSize(before);
    }

    /** Its tasks would stand still for ever, and the connector would be shown as running. */
    @Test
    void tasksThatStartPausedGoOnWithTheirConnector() throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        mayRun = true;
        connector.begin();
        await().until(() -> connector.status().state() == State.RUNNING);

        // An operator pauses the connector when its first tasks stop, and resumes it when the others start.
        tasksStop = () -> {
            tasksStop = () -> {};
            tasksStart = () -> connector.order(Target.RUNNING);
            connector.order(Target.PAUSED);
            stopped.countDown();
        };
        diary.tasks = 1;
        lives.get(0).reconfigure();
        stopped.await();

        await().until(() -> connector.status().state() == State.RUNNING && !paused);
    }
}
