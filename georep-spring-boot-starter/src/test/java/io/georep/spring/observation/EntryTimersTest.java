package io.georep.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happens to observations, the meters are those that Micrometer's own handler keeps. */
class EntryTimersTest {
    private final MockClock clock = new MockClock();

    /** Observations, and the meters that one handler keeps of them. */
    private static final class Side {
        final MeterRegistry meters;
        final ObservationRegistry registry = ObservationRegistry.create();
        final Deque<Observation> underWay = new ArrayDeque<>();

        Side(Clock clock, boolean own, Set<IgnoredMeters> ignored) {
            meters = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
            MeterObservationHandler<Observation.Context> handler = own
                    ? new EntryTimers(meters, ignored)
                    : new DefaultMeterObservationHandler(meters, ignored.toArray(IgnoredMeters[]::new));
            registry.observationConfig().observationHandler(handler).observationFilter(context -> {
                context.addLowCardinalityKeyValue(KeyValue.of("zone", "a"));
                return context;
            });
        }

        void begin(String queue, int kind) {
            underWay.addLast((kind == 0
                            ? GeoRepObservation.SEND.observation(
                                    null,
                                    new SendConvention(),
                                    () -> new SendContext(queue, 1, new TreeMap<>()),
                                    registry)
                            : GeoRepObservation.FORWARD.observation(
                                    null,
                                    new ForwardConvention(),
                                    () -> new ForwardContext(
                                            queue, "l", List.of(KeptKeyValuesTest.delivery(kind == 1))),
                                    registry))
                    .start());
        }

        void end(int how) {
            Observation ending = underWay.pollFirst();
            if (ending == null) {
                return;
            }
            switch (how) {
                case 0 -> ending.error(new IllegalStateException("on purpose"));
                case 1 -> ending.lowCardinalityKeyValue("mine", "1");
                case 2 -> ending.event(Observation.Event.of("seen"));
                default -> {}
            }
            ending.stop();
        }

        Map<String, String> all() {
            Map<String, String> all = new TreeMap<>();
            for (Meter meter : meters.getMeters()) {
                all.put(
                        meter.getId() + " " + meter.getId().getType(),
                        StreamSupport.stream(meter.measure().spliterator(), false)
                                .toList()
                                .toString());
            }
            return all;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theMetersAreThoseOfMicrometersOwnHandler(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Set<IgnoredMeters> ignored = seed % 2 == 0 ? Set.of() : Set.of(IgnoredMeters.LONG_TASK_TIMER);
        Side own = new Side(clock, true, ignored);
        Side usual = new Side(clock, false, ignored);

        for (int step = 0; step < 200; step++) {
            String queue = "q" + random.nextInt(3);
            int what = random.nextInt(4);
            boolean begins = random.nextBoolean();
            boolean forgotten = random.nextInt(50) == 0;
            clock.add(Duration.ofMillis(random.nextInt(100)));
            for (Side side : List.of(own, usual)) {
                if (forgotten && side.underWay.isEmpty()) {
                    side.meters.clear();
                } else if (begins) {
                    side.begin(queue, what % 3);
                } else {
                    side.end(what);
                }
            }
            assertThat(own.all()).isEqualTo(usual.all());
        }
        assertThat(own.all()).isNotEmpty();
    }
}
