package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.MapTransaction;
import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMaps;
import io.georep.model.Slice;
import io.georep.spi.CodecResolver;
import io.georep.spi.PayloadCodec;
import io.georep.spring.MapName;
import io.georep.spring.MisuseException;
import io.georep.spring.outbox.JsonCodecs;
import io.georep.spring.outbox.PayloadCodecs;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.ResolvableType;

/** Ordered maps and their transactions as beans. */
@Timeout(120)
class SpringOrderedMapsTest {
    record Seat(String guest) {}

    /** Numbers so that they are sorted by their bytes. */
    static final class Numbers implements PayloadCodec<Long> {
        @Override
        public byte[] encode(Long number) {
            return ByteBuffer.allocate(8).putLong(number).array();
        }

        @Override
        public Long decode(Slice bytes) {
            return ByteBuffer.wrap(bytes.array(), bytes.offset(), 8).getLong();
        }
    }

    static final MapSchema<Long, String> GUESTS = new MapSchema<>("guests", new Numbers(), PayloadCodec.string());

    /** Gives a guest the next number. */
    static final class Arrive implements MapTransaction<String, String> {
        @Override
        public String name() {
            return "arrive";
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public PayloadCodec<String> arguments() {
            return PayloadCodec.string();
        }

        @Override
        public PayloadCodec<String> results() {
            return PayloadCodec.string();
        }

        @Override
        public void declare(String guest, Keys keys) {
            keys.writes(GUESTS, (long) guest.length());
        }

        @Override
        public String execute(String guest, View view) {
            view.put(GUESTS, (long) guest.length(), guest);
            return "welcome " + guest;
        }
    }

    static class Hotel {
        final OrderedMap<String, Seat> seats;
        final OrderedMap<Long, String> guests;

        Hotel(
                @MapName("${seats.map:seats}") OrderedMap<String, Seat> seats,
                @MapName("guests") OrderedMap<Long, String> guests) {
            this.seats = seats;
            this.guests = guests;
        }
    }

    private static ApplicationContextRunner withMaps() {
        return TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepOrderedMapsAutoConfiguration.class))
                .withPropertyValues("georep.ordered-maps.groups[0]=n1");
    }

    private static <R> R get(CompletionStage<R> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void mapsAreInjectedByNameAndTransactionsAreBeans() {
        withMaps()
                .withBean(Hotel.class)
                .withBean("guests", MapSchema.class, () -> GUESTS)
                .withBean(Arrive.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Hotel hotel = context.getBean(Hotel.class);
                    assertThat(hotel.seats.name()).isEqualTo("seats");
                    get(hotel.seats.put("12B", new Seat("bob")));
                    get(hotel.seats.put("12A", new Seat("ann")));
                    assertThat(get(hotel.seats.first())).isEqualTo(Map.entry("12A", new Seat("ann")));

                    OrderedMaps maps = context.getBean(OrderedMaps.class);
                    assertThat(get(maps.call(context.getBean(Arrive.class), "a guest")))
                            .isEqualTo("welcome a guest");
                    get(maps.call(context.getBean(Arrive.class), "somebody else"));
                    assertThat(get(hotel.guests.first())).isEqualTo(Map.entry(7L, "a guest"));
                    assertThat(get(hotel.guests.last())).isEqualTo(Map.entry(13L, "somebody else"));
                });
    }

    @Test
    void twoDescriptionsOfOneMapAreRefused() {
        MapSchema<Long, String> other = new MapSchema<>("guests", new Numbers(), PayloadCodec.string());
        InjectedMap injected =
                new InjectedMap("guests", ResolvableType.forClass(Long.class), ResolvableType.forClass(String.class));
        DefaultListableBeanFactory none = new DefaultListableBeanFactory();
        PayloadCodecs codecs = new PayloadCodecs(
                none, none.getBeanProvider(CodecResolver.class), none.getBeanProvider(JsonCodecs.class));
        assertThat(injected.schema(Stream.of(GUESTS), codecs)).isSameAs(GUESTS);
        assertThatThrownBy(() -> injected.schema(Stream.of(GUESTS, other), codecs))
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("2 beans of type MapSchema describe ordered map 'guests'");
    }

    /** As one that encrypts would. */
    static final class Backwards implements PayloadCodec<String> {
        @Override
        public byte[] encode(String text) throws Exception {
            return PayloadCodec.string()
                    .encode(new StringBuilder(text).reverse().toString());
        }

        @Override
        public String decode(Slice bytes) throws Exception {
            return new StringBuilder(PayloadCodec.string().decode(bytes))
                    .reverse()
                    .toString();
        }
    }

    static class Texts {
        final OrderedMap<String, String> texts;

        Texts(@MapName("texts") OrderedMap<String, String> texts) {
            this.texts = texts;
        }
    }

    @Test
    void aCodecOfTheApplicationWritesValuesAndNotKeys() {
        withMaps().withBean(Backwards.class).withBean(Texts.class).run(context -> {
            assertThat(context).hasNotFailed();
            OrderedMap<String, String> texts = context.getBean(Texts.class).texts;
            get(texts.put("ba", "one"));
            get(texts.put("ab", "two"));

            assertThat(get(texts.first())).isEqualTo(Map.entry("ab", "two"));
            OrderedMap<String, String> stored = context.getBean(OrderedMaps.class)
                    .map(new MapSchema<>("texts", PayloadCodec.string(), PayloadCodec.string()));
            assertThat(get(stored.get("ab"))).isEqualTo("owt");
        });
    }

    @Test
    void aListOfVotersIsNotTakenForOneOfGroups() {
        withMaps()
                .withPropertyValues("georep.ordered-maps.groups[1]=n2", "georep.ordered-maps.groups[2]=n3")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("georep.ordered-maps.groups[0]=a,b,c"));
    }

    static class Unsorted {
        Unsorted(@MapName("guests") OrderedMap<Long, String> guests) {}
    }

    static class Unnamed {
        Unnamed(OrderedMap<String, String> seats) {}
    }

    @Test
    void anInjectionPointThatSaysTooLittleIsToldWhatToWrite() {
        withMaps()
                .withBean(Unsorted.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("nothing says how they are sorted"));
        withMaps()
                .withBean(Unnamed.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("does not say which map it means"));
    }

    @Test
    void settingsThatAreNotValidAreToldTogetherWithTheirProperty() {
        withMaps()
                .withPropertyValues("georep.ordered-maps.lease=1ms", "georep.ordered-maps.waiting-max=0")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("georep.ordered-maps: lease of ordered maps: PT0.001S")
                        .hasMessageContaining("georep.ordered-maps: waitingMax of ordered maps: 0"));
        withMaps()
                .withPropertyValues("georep.ordered-maps.groups[1]=n1,n2")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("n1 of ordered maps is the home of two groups"));
        withMaps()
                .withPropertyValues("georep.ordered-maps.groups[0]=n2,n1,n4")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("n1 votes for ordered maps, and its durability is MEMORY"));
        TestApplication.alone()
                .withPropertyValues("georep.ordered-maps.replicas=n1")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("georep.ordered-maps.replicas set without georep.ordered-maps.groups"));
    }

    @Test
    void withoutVotersThereAreNoMaps() {
        TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepOrderedMapsAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(OrderedMaps.class)
                        .doesNotHaveBean(OrderedMap.class));
    }

    /** What is written for a cluster runs in a test, where the node is alone. */
    @Test
    void inATestTheNodeIsTheOnlyVoter() {
        TestApplication.runner()
                .withConfiguration(AutoConfigurations.of(GeoRepOrderedMapsAutoConfiguration.class))
                .withPropertyValues(
                        "georep.test.enabled=true",
                        "georep.port=7400",
                        "georep.strict=true",
                        "georep.ordered-maps.groups[0][0]=ams-1",
                        "georep.ordered-maps.groups[0][1]=nyc-1",
                        "georep.ordered-maps.groups[1]=nyc-1,ams-1",
                        "georep.ordered-maps.replicas=ams-2")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    OrderedMap<String, String> map = context.getBean(OrderedMaps.class)
                            .map("seats", PayloadCodec.string(), PayloadCodec.string());
                    get(map.put("12A", "ann"));
                    assertThat(get(map.get("12A"))).isEqualTo("ann");
                });
    }
}
