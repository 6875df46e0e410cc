package io.georep.metrics;

import io.georep.NodeStatistics;
import io.georep.model.Measures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Meters of whatever figures the protocols give; a figure gets its meter when it is first given. Thread-safe. */
final class ProtocolMeters {
    private final Supplier<@Nullable NodeStatistics> latest;
    private final Tags common;
    private final List<MeterRegistry> registries = new ArrayList<>();
    private final Map<Key, Figure> figures = new HashMap<>();

    /** Number of the last reading. */
    private volatile long reading;

    private record Key(String name, Map<String, String> tags) {}

    /** What was given last. */
    private static final class Figure {
        final boolean counts;
        final String unit;
        final String description;
        volatile long value;
        volatile long readIn;

        Figure(boolean counts, String unit, String description) {
            this.counts = counts;
            this.unit = unit;
            this.description = description;
        }
    }

    /**
     * No figure is known yet.
     *
     * @param latest reads anew if the last reading is old; null while the node does not answer
     */
    ProtocolMeters(Supplier<@Nullable NodeStatistics> latest, Tags common) {
        this.latest = latest;
        this.common = common;
    }

    synchronized void bindTo(MeterRegistry registry) {
        registries.add(registry);
        figures.forEach((key, figure) -> bind(registry, key, figure));
    }

    /** Takes a reading. */
    synchronized void known(NodeStatistics statistics) {
        Taker taker = new Taker(reading + 1);
        statistics.protocols().values().forEach(protocol -> protocol.measure(taker));
        reading = taker.reading;
    }

    private void bind(MeterRegistry registry, Key key, Figure figure) {
        Tags tags = common;
        for (Map.Entry<String, String> tag : key.tags.entrySet()) {
            tags = tags.and(tag.getKey(), tag.getValue());
        }
        String name = "georep." + key.name;
        if (figure.counts) {
            FunctionCounter.builder(name, figure, this::count)
                    .tags(tags)
                    .baseUnit(figure.unit)
                    .description(figure.description)
                    .register(registry);
        } else {
            Gauge.builder(name, () -> gauge(figure))
                    .tags(tags)
                    .baseUnit(figure.unit)
                    .description(figure.description)
                    .register(registry);
        }
    }

    /** Values that the last reading lacks are not known any more. */
    private double gauge(Figure figure) {
        return latest.get() == null || reading > figure.readIn ? Double.NaN : (double) figure.value;
    }

    private double count(Figure figure) {
        NodeStatistics unused = latest.get(); // reads anew if the last reading is old, and sets the figure
        return (double) figure.value;
    }

    private final class Taker implements Measures {
        private final long reading;

        Taker(long reading) {
            this.reading = reading;
        }

        @Override
        public void counter(String name, String unit, String description, long value, Map<String, String> tags) {
            take(new Key(name, tags), new Figure(true, unit, description), value);
        }

        @Override
        public void gauge(String name, String unit, String description, long value, Map<String, String> tags) {
            take(new Key(name, tags), new Figure(false, unit, description), value);
        }

        private void take(Key key, Figure fresh, long value) {
            Figure known = figures.putIfAbsent(key, fresh);
            Figure figure = known == null ? fresh : known;
            figure.value = value;
            figure.readIn = reading;
            if (known == null) {
                for (MeterRegistry registry : registries) {
                    bind(registry, key, figure);
                }
            }
        }
    }
}
