package io.georep.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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

    private static Observation send(ObservationRegistry registry) {
        return GeoRepObservation.SEND.observation(
                null, new SendConvention(), () -> new SendContext("q", 1, new TreeMap<>()), registry);
    }

    /** The registry has a lock while it makes a meter, and while it tells of one that was removed. */
    @Test
    @Timeout(120)
    void aMeterIsMadeWhileAnotherOneIsRemoved() throws InterruptedException {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Meter old = meters.counter("old");
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch removing = new CountDownLatch(1);
        meters.config().onMeterRemoved(removed -> removing.countDown()).meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                making.countDown();
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> removing.getCount() == 0);
                return id;
            }
        });
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new EntryTimers(meters, Set.of(IgnoredMeters.LONG_TASK_TIMER)));
        Thread sender = new Thread(() -> send(registry).start().stop());
        Thread remover = new Thread(() -> meters.remove(old));
        sender.setDaemon(true);
        remover.setDaemon(true);

        sender.start();
        assertThat(making.await(60, TimeUnit.SECONDS)).isTrue();
        remover.start();

        sender.join(60_000);
        remover.join(60_000);
        assertThat(sender.isAlive() || remover.isAlive())
                .as("one waits for the other")
                .isFalse();
        assertThat(meters.get("georep.send").timer().count()).isOne();
    }

    @Test
    void whatHasNotBegunIsNotMeasured() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig()
                .observationHandler(new ObservationHandler<>() {
                    @Override
                    public void onStart(Observation.Context context) {
                        throw new IllegalStateException("on purpose");
                    }

                    @Override
                    public boolean supportsContext(Observation.Context context) {
                        return true;
                    }
                })
                .observationHandler(new EntryTimers(meters, Set.of()));
        Observation observation = send(registry);

        assertThatThrownBy(observation::start).hasMessage("on purpose");
        observation.stop();

        assertThat(meters.find("georep.send").timer()).isNull();
    }

    @Test
    void whatAFilterDeniesItMayAllowLater() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        AtomicBoolean denies = new AtomicBoolean(true);
        meters.config().meterFilter(MeterFilter.deny(id -> denies.get()));
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new EntryTimers(meters, Set.of()));

        send(registry).start().stop();
        denies.set(false);
        send(registry).start().stop();

        assertThat(meters.get("georep.send").timer().count()).isOne();
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
