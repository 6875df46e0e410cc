package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.keys.KeySpace;
import io.georep.spring.Connectors.State;
import io.georep.spring.connect.Orders.Target;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnectorContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Orders that come while a connector gets other tasks. */
@Timeout(60)
class ReconfiguredTasksTest {
    private static final ClassLoader HERE = ReconfiguredTasksTest.class.getClassLoader();
    private static final Map<String, String> SETTINGS = Map.of(
            "name", "other",
            "connector.class", RecordingSink.class.getName(),
            "topics", "sms",
            "tasks.max", "2",
            "value.converter", "org.apache.kafka.connect.storage.StringConverter");

    private final ConnectorSettings settings = ConnectorSettings.of("other", SETTINGS);
    private final AtomicReference<HostedConnector.Requests> requests = new AtomicReference<>();
    private final AtomicBoolean paused = new AtomicBoolean();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final HostedConnector connector = new HostedConnector(settings, new Kind(), new Orders(store(), "other"));

    private static KeySpace store() {
        return (KeySpace) Proxy.newProxyInstance(
                HERE,
                new Class<?>[] {KeySpace.class},
                (space, method, arguments) -> CompletableFuture.completedFuture(null));
    }

    /** Remembers whether it is to pause. */
    private final class IdleTask extends TaskRunner {
        IdleTask(boolean paused) {
            super("other", 0, HERE, settings, paused);
            ReconfiguredTasksTest.this.paused.set(paused);
        }

        @Override
        void session() {}

        @Override
        void wakeUp() {}

        @Override
        void pause(boolean value) {
            paused.set(value);
        }
    }

    /** An operator pauses the connector when its first tasks stop, and resumes it when the others start. */
    private final class Group implements TaskGroup {
        private List<IdleTask> tasks = List.of();

        @Override
        public void start(List<Map<String, String>> taskSettings, boolean pausedNow) {
            tasks = List.of(new IdleTask(pausedNow));
            if (stopped.getCount() == 0) {
                connector.order(Target.RUNNING);
            }
        }

        @Override
        public void stop() {
            if (stopped.getCount() > 0) {
                connector.order(Target.PAUSED);
                stopped.countDown();
            }
        }

        @Override
        public List<? extends TaskRunner> tasks() {
            return tasks;
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
        public ConnectorContext context(HostedConnector.Requests of, HostMetrics metrics) {
            requests.set(of);
            return (SinkConnectorContext) Proxy.newProxyInstance(
                    HERE, new Class<?>[] {SinkConnectorContext.class}, (self, method, given) -> null);
        }

        @Override
        public boolean mayRunHere() {
            return true;
        }

        @Override
        public TaskGroup group(Class<? extends Task> taskClass) {
            return new Group();
        }
    }

    /** Its tasks would stand still for ever, and the connector would be shown as running. */
    @Test
    void tasksThatStartPausedGoOnWithTheirConnector() throws Exception {
        RecordingSink.Diary diary = RecordingSink.diary("other");
        connector.begin();
        await().until(() -> connector.status().state() == State.RUNNING);

        diary.tasks = 1;
        requests.get().reconfigure();
        stopped.await();

        await().until(() -> connector.status().state() == State.RUNNING && !paused.get());
        connector.close();
        assertThat(connector.awaitEnd(30_000)).isTrue();
    }
}
