package io.georep.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.spring.Connectors;
import io.georep.spring.Connectors.State;
import io.georep.spring.Connectors.Status;
import io.georep.spring.Connectors.Task;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connectors at the endpoint and in health. */
class ConnectorOperationsTest {
    /** Writes down what it is told. */
    private static final class Told implements Connectors {
        private final List<String> orders = new ArrayList<>();
        private Status status = status(null);

        @Override
        public List<Status> all() {
            return List.of(status);
        }

        @Override
        public Status byName(String name) {
            return name.equals("rec") ? status : null;
        }

        @Override
        public void pause(String name) {
            orders.add("pause " + name);
        }

        @Override
        public void resume(String name) {
            orders.add("resume " + name);
        }

        @Override
        public void restart(String name) {
            orders.add("restart " + name);
        }

        @Override
        public void stop(String name) {
            orders.add("stop " + name);
        }
    }

    private static Status status(String problem) {
        State state = problem == null ? State.RUNNING : State.FAILED;
        return new Status(
                "rec", "sink", "some.Sink", State.RUNNING, null, List.of(new Task(0, state, problem, 0)), List.of(), 0);
    }

    private final Told told = new Told();

    @ParameterizedTest
    @ValueSource(strings = {"pause", "resume", "restart", "stop"})
    void anOrderReachesTheConnector(String action) {
        new ConnectorOperations(told).change("rec", action);

        assertThat(told.orders).containsExactly(action + " rec");
    }

    @Test
    void whatIsNotThereIsNamed() {
        ConnectorOperations operations = new ConnectorOperations(told);

        assertThatThrownBy(() -> operations.one("other"))
                .isInstanceOf(EndpointRefusal.class)
                .hasMessageContaining("there are [rec]");
        assertThatThrownBy(() -> operations.change("rec", "explode"))
                .isInstanceOf(EndpointRefusal.class)
                .hasMessageContaining("pause, resume, restart or stop");
        assertThat(new ConnectorOperations(null).all()).isEmpty();
        assertThat(told.orders).isEmpty();
    }

    @Test
    void healthIsDownWhileATaskHasFailed() {
        ConnectorHealthIndicator indicator = new ConnectorHealthIndicator(told);
        assertThat(indicator.health().getStatus().getCode()).isEqualTo("UP");

        told.status = status("ConnectException: the task is started again");

        assertThat(indicator.health().getStatus().getCode()).isEqualTo("DOWN");
        assertThat(indicator.health().getDetails().get("rec")).asString().contains("task 0=FAILED: ConnectException");
    }
}
