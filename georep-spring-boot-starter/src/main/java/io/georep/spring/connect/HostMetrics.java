package io.georep.spring.connect;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.MetricValueProvider;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.Sensor;

/** Keeps the meters that a plugin registers, so that it can update them. Nobody else reads them. */
final class HostMetrics implements PluginMetrics, AutoCloseable {
    private final Metrics metrics = new Metrics();
    private final Map<String, String> tags;

    /** Every meter gets these tags. */
    HostMetrics(Map<String, String> tags) {
        this.tags = Map.copyOf(tags);
    }

    @Override
    @SuppressWarnings("NonApiType") // of the API
    public MetricName metricName(String name, String description, LinkedHashMap<String, String> own) {
        Map<String, String> all = new LinkedHashMap<>(tags);
        own.forEach((tag, value) -> {
            if (all.putIfAbsent(tag, value) != null) {
                throw new IllegalArgumentException("tag " + tag + " is taken by the host: choose another name");
            }
        });
        return metrics.metricName(name, "plugins", description, all);
    }

    @Override
    public void addMetric(MetricName name, MetricValueProvider<?> provider) {
        metrics.addMetric(name, provider);
    }

    @Override
    public void removeMetric(MetricName name) {
        if (metrics.removeMetric(name) == null) {
            throw new IllegalArgumentException("there is no meter " + name);
        }
    }

    @Override
    public Sensor addSensor(String name) {
        if (metrics.getSensor(name) != null) {
            throw new IllegalArgumentException("there is a sensor " + name + " already");
        }
        return metrics.sensor(name);
    }

    @Override
    public void removeSensor(String name) {
        if (metrics.getSensor(name) == null) {
            throw new IllegalArgumentException("there is no sensor " + name);
        }
        metrics.removeSensor(name);
    }

    @Override
    public void close() {
        metrics.close();
    }
}
