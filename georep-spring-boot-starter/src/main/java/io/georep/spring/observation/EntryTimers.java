package io.georep.spring.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.noop.NoopMeter;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Keeps the same meters for sends and calls of listeners as Micrometer's own handler. That one makes tags and looks for its meters
 * twice for each observation, and these are as many as there are entries; here the meters stay at hand. Thread-safe.
 */
public final class EntryTimers implements MeterObservationHandler<Observation.Context> {
    /** What tells one timer from another. */
    private record Key(String name, KeyValues tags, String error) {}

    private static final String NO_ERROR = "none";
    private static final int KEPT_MAX = 10_000;

    private final MeterRegistry registry;
    private final boolean underWay;
    private final DefaultMeterObservationHandler events;
    private volatile Map<Key, Timer> timers = new ConcurrentHashMap<>();
    private volatile Map<Key, LongTaskTimer> underWayTimers = new ConcurrentHashMap<>();

    /**
     * Makes meters when the first of their observations comes.
     *
     * @param ignored what Micrometer's own handler would not make either
     */
    public EntryTimers(MeterRegistry registry, Set<IgnoredMeters> ignored) {
        this.registry = registry;
        this.underWay = !ignored.contains(IgnoredMeters.LONG_TASK_TIMER);
        this.events = new DefaultMeterObservationHandler(registry, ignored.toArray(IgnoredMeters[]::new));
        // Called with a lock of the registry, which whoever makes a meter also needs: so nothing here waits for
        // anybody.
        registry.config().onMeterRemoved(removed -> {
            timers = new ConcurrentHashMap<>();
            underWayTimers = new ConcurrentHashMap<>();
        });
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof SendContext || context instanceof ForwardContext;
    }

    @Override
    public void onStart(Observation.Context context) {
        Stopwatch stopwatch = stopwatch(context);
        if (underWay) {
            stopwatch.underWay =
                    kept(underWayTimers, key(context, ""), this::underWay).start();
        }
        stopwatch.startNanos = registry.config().clock().monotonicTime();
        stopwatch.isStarted = true;
    }

    @Override
    public void onEvent(Observation.Event event, Observation.Context context) {
        events.onEvent(event, context);
    }

    @Override
    public void onStop(Observation.Context context) {
        Stopwatch stopwatch = stopwatch(context);
        if (!stopwatch.isStarted) {
            return; // Another handler has failed before this one was called.
        }
        long nanos = registry.config().clock().monotonicTime() - stopwatch.startNanos;
        Throwable error = context.getError();
        Key key = key(context, error == null ? NO_ERROR : error.getClass().getSimpleName());
        kept(timers, key, this::timer).record(nanos, TimeUnit.NANOSECONDS);
        if (stopwatch.underWay instanceof LongTaskTimer.Sample sample) {
            sample.stop();
        }
    }

    /** The map is taken before the meter is made: if that is removed at once, it is kept in a map that nobody uses any more. */
    private static <T> T kept(Map<Key, T> map, Key key, Function<Key, T> maker) {
        T there = map.get(key);
        if (there != null) {
            return there;
        }
        T made = maker.apply(key);
        // What a filter denies it may allow later; and tags of an application may have values without end.
        if (!(made instanceof NoopMeter) && map.size() < KEPT_MAX) {
            map.putIfAbsent(key, made);
        }
        return made;
    }

    private static Stopwatch stopwatch(Observation.Context context) {
        return context instanceof SendContext send ? send.stopwatch() : ((ForwardContext) context).stopwatch();
    }

    private static Key key(Observation.Context context, String error) {
        return new Key(Objects.requireNonNull(context.getName()), context.getLowCardinalityKeyValues(), error);
    }

    private LongTaskTimer underWay(Key key) {
        return registry.more().longTaskTimer(key.name() + ".active", tags(key));
    }

    private Timer timer(Key key) {
        List<Tag> tags = tags(key);
        tags.add(Tag.of("error", key.error()));
        return registry.timer(key.name(), tags);
    }

    private static List<Tag> tags(Key key) {
        List<Tag> tags = new ArrayList<>();
        for (KeyValue value : key.tags()) {
            tags.add(Tag.of(value.getKey(), value.getValue()));
        }
        return tags;
    }
}
