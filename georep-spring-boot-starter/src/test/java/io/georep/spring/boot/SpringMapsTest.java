package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.GeoRepNode;
import io.georep.funnel.MapChange;
import io.georep.funnel.MapsStatus;
import io.georep.funnel.ReplicatedMap;
import io.georep.funnel.ReplicatedMaps;
import io.georep.funnel.ViewMaster;
import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import io.georep.spring.MapName;
import io.georep.spring.Maps;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** Replicated maps as beans, their changes as events, and caches on top. */
@Timeout(120)
class SpringMapsTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    record Route(String operator, int weight) {}

    record Rate(int cents) {}

    static class Router {
        final ReplicatedMap<String, Route> routes;
        final BlockingQueue<MapChange<String, Route>> changes = new LinkedBlockingQueue<>();
        final AtomicInteger others = new AtomicInteger();

        Router(@MapName("${routes.map:routes}") ReplicatedMap<String, Route> routes) {
            this.routes = routes;
        }

        @EventListener
        void on(MapChange<String, Route> change) {
            changes.add(change);
        }

        @EventListener
        void onOther(MapChange<String, Rate> change) {
            others.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {}

    static class Rates {
        final AtomicInteger asked = new AtomicInteger();

        @Cacheable("rates")
        public Rate rate(String destination) {
            return new Rate(asked.incrementAndGet());
        }
    }

    static ApplicationContextRunner withMaps() {
        return TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepMapsAutoConfiguration.class))
                .withPropertyValues("georep.maps.alone=true");
    }

    private static void awaitServing(ReplicatedMaps maps) {
        Awaitility.await().atMost(SOON).until(() -> maps.status().role() == MapsStatus.Role.SERVING);
    }

    private static <R> R get(CompletionStage<R> stage) throws Exception {
        return stage.toCompletableFuture().get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aMapIsInjectedByNameAndItsChangesAreEvents() {
        withMaps().withBean(Router.class).run(context -> {
            assertThat(context).hasNotFailed();
            awaitServing(context.getBean(ReplicatedMaps.class));
            Router router = context.getBean(Router.class);
            assertThat(router.routes.name()).isEqualTo("routes");
            assertThat(router.routes.get("46")).isNull();

            get(router.routes.put("46", new Route("telia", 7)));
            assertThat(router.routes.get("46")).isEqualTo(new Route("telia", 7));
            assertThat(context.getBean(Maps.class).map("routes", String.class, Route.class))
                    .isSameAs(router.routes);
            assertThat(context.getBean(Maps.class).names()).containsExactly("routes");
            assertThat(get(router.routes.remove("46"))).isTrue();

            MapChange<String, Route> put = router.changes.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(put.map()).isEqualTo("routes");
            assertThat(put.key()).isEqualTo("46");
            assertThat(put.value()).isEqualTo(new Route("telia", 7));
            assertThat(router.changes.poll(SOON.toSeconds(), TimeUnit.SECONDS).value())
                    .isNull();
            assertThat(router.others).as("of maps with other values").hasValue(0);
            assertThatThrownBy(() -> context.getBean(Maps.class).map("routes", String.class, Rate.class))
                    .hasMessageContaining("use the same types");
        });
    }

    @Test
    void anInjectionPointWithoutNameOrTypesSaysWhatToWrite() {
        withMaps()
                .withBean(Unnamed.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("does not say which map it means"));
        withMaps()
                .withBean(Untyped.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("does not say what the map holds"));
    }

    static class Unnamed {
        Unnamed(ReplicatedMap<String, String> settings) {}
    }

    @SuppressWarnings("rawtypes")
    static class Untyped {
        Untyped(@MapName("settings") ReplicatedMap settings) {}
    }

    @Test
    void aCacheIsAMap() {
        withMaps()
                .withUserConfiguration(Caching.class)
                .withBean(Rates.class)
                .withPropertyValues(
                        "georep.maps.caches.rates.value-type=" + Rate.class.getName(),
                        "georep.maps.caches.rates.time-to-live=1h")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    awaitServing(context.getBean(ReplicatedMaps.class));
                    Rates rates = context.getBean(Rates.class);
                    assertThat(rates.rate("46")).isEqualTo(new Rate(1));
                    assertThat(rates.rate("46")).isEqualTo(new Rate(1));
                    assertThat(rates.rate("47")).isEqualTo(new Rate(2));
                    ReplicatedMap<String, Rate> map =
                            context.getBean(Maps.class).map("rates", String.class, Rate.class);
                    assertThat(map.get("46")).isEqualTo(new Rate(1));

                    CacheManager manager = context.getBean(CacheManager.class);
                    assertThat(manager.getCacheNames()).containsExactly("rates");
                    assertThat(manager.getCache("unknown")).isNull();
                    Cache cache = manager.getCache("rates");
                    assertThat(cache.putIfAbsent("46", new Rate(9)).get()).isEqualTo(new Rate(1));
                    assertThat(cache.putIfAbsent("48", new Rate(9))).isNull();
                    assertThat(cache.evictIfPresent("48")).isTrue();
                    assertThat(cache.evictIfPresent("48")).isFalse();
                    assertThat(cache.get("48", () -> new Rate(5))).isEqualTo(new Rate(5));
                    assertThat(cache.<Rate>get("48", () -> {
                                throw new IllegalStateException("is there");
                            }))
                            .isEqualTo(new Rate(5));
                    assertThat(cache.retrieve("49", () -> CompletableFuture.completedFuture(new Rate(6)))
                                    .get(SOON.toSeconds(), TimeUnit.SECONDS))
                            .isEqualTo(new Rate(6));
                    assertThat(map.get("49")).isEqualTo(new Rate(6));
                    assertThatThrownBy(() -> cache.get(46))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("georep.maps.caches.rates.key-type");
                    cache.clear();
                    assertThat(map.get("46")).isNull();
                    assertThat(cache.invalidate()).isFalse();
                });
    }

    @Test
    void aCacheWithoutTypeOfValuesIsRefused() {
        withMaps()
                .withPropertyValues("georep.maps.caches.rates.time-to-live=1h")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("georep.maps.caches.rates.value-type is missing"));
    }

    @Test
    void settingsThatAreNotValidAreToldWithTheOthers() {
        withMaps()
                .withPropertyValues("georep.maps.lease=1ms", "georep.maps.keys-max=0")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("lease of replicated maps is PT0.001S")
                        .hasMessageContaining("keysMax of replicated maps is 0"));
        withMaps()
                .withPropertyValues("georep.port=0", "georep.host=127.0.0.1")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("give all nodes a master that they share"));
    }

    @Test
    void withoutAMasterThereAreNoMaps() {
        TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepMapsAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(GeoRepNode.class)
                        .doesNotHaveBean(ReplicatedMaps.class)
                        .doesNotHaveBean(ReplicatedMap.class));
    }

    /** What is written for a cluster runs in a test, where the node is alone. */
    @Test
    void inATestTheNodeIsItsOwnMaster() {
        TestApplication.runner()
                .withConfiguration(AutoConfigurations.of(GeoRepMapsAutoConfiguration.class))
                .withBean(ViewMaster.Factory.class, () -> place -> {
                    throw new IllegalStateException("the master of the cluster");
                })
                .withPropertyValues("georep.test.enabled=true", "georep.port=7400")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    awaitServing(context.getBean(ReplicatedMaps.class));
                });
    }

    /** A codec of an application, made when somebody first needs it. */
    static final class RateCodec implements PayloadCodec<Rate> {
        @Override
        public byte[] encode(Rate rate) {
            return new byte[] {(byte) rate.cents()};
        }

        @Override
        public Rate decode(Slice bytes) {
            return new Rate(bytes.array()[bytes.offset()]);
        }
    }

    /** Who makes a bean holds a lock of the context, and others that ask for maps may hold that one. */
    @Test
    void codecsOfAMapAreMadeWhileOthersMayAskForMaps() {
        AtomicReference<Maps> maps = new AtomicReference<>();
        withMaps()
                .withBean(
                        "lazy",
                        RateCodec.class,
                        () -> {
                            CompletableFuture.supplyAsync(() -> maps.get().names())
                                    .orTimeout(10, TimeUnit.SECONDS)
                                    .join();
                            return new RateCodec();
                        },
                        definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    maps.set(context.getBean(Maps.class));
                    assertThat(maps.get().map("rates", String.class, Rate.class))
                            .isSameAs(maps.get().map("rates", String.class, Rate.class));
                });
    }
}
