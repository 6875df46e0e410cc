package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.georep.keys.KeySpace;
import io.georep.spring.Connectors.State;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.connector.ConnectorContext;
import org.apache.kafka.connect.connector.Task;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostedConnectorTest {
    private static final ClassLoader HERE = HostedConnectorTest.class.getClassLoader();

    private final List<Long> attempts = new CopyOnWriteArrayList<>();
    private final AtomicInteger errors = new AtomicInteger();
    private final CountDownLatch turn = new CountDownLatch(1);

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
        public ConnectorContext context(HostedConnector.Requests requests, HostMetrics metrics) {
            throw new AssertionError("it may not run here");
        }

        @Override
        public boolean mayRunHere() {
            turn.countDown();
            return false;
        }

        @Override
        public void ended() {
            fail();
        }

        @Override
        public TaskGroup group(Class<? extends Task> taskClass) {
            throw new AssertionError("it may not run here");
        }
    }

    private HostedConnector connector() {
        ConnectorSettings settings = ConnectorSettings.of(
                "lasting",
                Map.of(
                        "name",
                        "lasting",
                        "connector.class",
                        RecordingSink.class.getName(),
                        "topics",
                        "sms",
                        "value.converter",
                        "org.apache.kafka.connect.storage.StringConverter"));
        return new HostedConnector(settings, new Kind(), new Orders(store(), "lasting"));
    }

    /** A plugin may interrupt it at any time. */
    @Test
    void anInterruptDoesNotEndThePausesBetweenItsErrors() {
        HostedConnector connector = connector();
        errors.set(Integer.MAX_VALUE);
        connector.begin();
        await().atMost(Duration.ofSeconds(30)).until(() -> connector.status().troubled());

        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("georep-connect-lasting"))
                .forEach(Thread::interrupt);
        int before = attempts.size();
        await().atMost(Duration.ofSeconds(30)).until(() -> attempts.size() > before + 2);
        errors.set(0);
        connector.close();

        assertThat(attempts.get(before + 2) - attempts.get(before + 1))
                .as("a pause of a second")
                .isGreaterThan(900_000_000);
        assertThat(connector.awaitEnd(30_000)).isTrue();
    }

    /** Nobody else would start it again, and it would be shown in the state of that moment for ever. */
    @Test
    void anErrorDoesNotEndItsThread() throws Exception {
        HostedConnector connector = connector();
        errors.set(Integer.MAX_VALUE);
        connector.begin();
        await().atMost(Duration.ofSeconds(30)).until(() -> connector.status().troubled());
        errors.set(0);
        turn.await();

        errors.set(1);
        connector.close();

        assertThat(connector.awaitEnd(30_000)).isTrue();
        assertThat(connector.status().state()).isEqualTo(State.STOPPED);
        connector.begin();
        connector.close();
        assertThat(connector.awaitEnd(30_000)).isTrue();
    }
}
