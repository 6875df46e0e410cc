package io.georep.spring.boot.actuate;

import io.georep.spring.Connectors;
import io.georep.spring.Connectors.State;
import io.georep.spring.Connectors.Status;
import io.georep.spring.Connectors.Task;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Meters of the connectors, which stay the same as long as the application runs. */
final class ConnectorMeters implements MeterBinder {
    private final Connectors connectors;

    ConnectorMeters(Connectors connectors) {
        this.connectors = connectors;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (Status connector : connectors.all()) {
            Binding binding = new Binding(
                    registry, connector.name(), Tags.of("connector", connector.name(), "type", connector.type()));
            binding.gauge(
                    "troubled",
                    "connectors",
                    "1 while the connector or one of its tasks has failed or does not get on",
                    status -> status.troubled() ? 1 : 0);
            binding.gauge(
                    "pending",
                    "records",
                    "Records in the hands of its tasks: of a sink those not flushed, of a source those not committed",
                    status -> status.tasks().stream().mapToInt(Task::pending).sum());
            FunctionCounter.builder(
                            "georep.connector.failures",
                            connectors,
                            all -> value(all.byName(connector.name()), Status::failures))
                    .tags("connector", connector.name(), "type", connector.type())
                    .baseUnit("failures")
                    .description("How often the connector, or one of its tasks, has failed")
                    .register(registry);
            for (State state : State.values()) {
                Binding inState = binding.and("state", state.name().toLowerCase(Locale.ROOT));
                inState.gauge(
                        "state",
                        "connectors",
                        "1 for the state that the connector is in on this node",
                        status -> status.state() == state ? 1 : 0);
                inState.gauge(
                        "tasks",
                        "tasks",
                        "Its tasks on this node by state",
                        status -> status.tasks().stream()
                                .filter(task -> task.state() == state)
                                .count());
            }
        }
    }

    private final class Binding {
        private final MeterRegistry registry;
        private final String connector;
        private final Tags tags;

        Binding(MeterRegistry registry, String connector, Tags tags) {
            this.registry = registry;
            this.connector = connector;
            this.tags = tags;
        }

        Binding and(String key, String value) {
            return new Binding(registry, connector, tags.and(key, value));
        }

        void gauge(String name, String unit, String description, ToDoubleFunction<Status> figure) {
            Gauge.builder("georep.connector." + name, () -> value(connectors.byName(connector), figure))
                    .tags(tags)
                    .baseUnit(unit)
                    .description(description)
                    .register(registry);
        }
    }

    private static double value(@Nullable Status status, ToDoubleFunction<Status> figure) {
        return status == null ? Double.NaN : figure.applyAsDouble(status);
    }
}
