package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.flagons.FleetFlags;
import io.georep.flagons.FleetMap;
import io.georep.flagons.FleetMaps;
import io.georep.flagons.FleetOptions;
import io.georep.flagons.FleetUnavailableException;
import io.georep.spring.MapName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Fleet maps and flags as beans. */
@Timeout(120)
class SpringFleetTest {
    record Price(String article, int cents) {}

    static class Till {
        final FleetMap<String, Price> prices;
        final FleetFlags flags;

        Till(@MapName("prices") FleetMap<String, Price> prices, FleetFlags flags) {
            this.prices = prices;
            this.flags = flags;
        }
    }

    private static ApplicationContextRunner application() {
        return TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepFleetAutoConfiguration.class))
                .withBean(Till.class);
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void mapsAndFlagsAreInjectedAndATestNeedsNoOtherNode() {
        application()
                .withPropertyValues("georep.test.enabled=true", "georep.fleet.seeds=seed-1:7400")
                .run(context -> {
                    Till till = context.getBean(Till.class);
                    BlockingQueue<String> told = new LinkedBlockingQueue<>();

                    get(till.prices.put("milk", new Price("milk", 129), FleetOptions.ANY));
                    assertThat(get(till.prices.get("milk", FleetOptions.ANY)).value())
                            .isEqualTo(new Price("milk", 129));
                    assertThat(till.flags.isOn("new-receipt", true))
                            .as("not known")
                            .isTrue();
                    till.flags.watch("new-receipt", value -> told.add(String.valueOf(value)));
                    assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo("null");
                    get(till.flags.set("new-receipt", false));
                    assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo("false");
                    assertThat(till.flags.isOn("new-receipt", true)).isFalse();
                });
    }

    /** The keys are those of RFC 8410. */
    @Test
    void onlyWritersWithAKeyChangeValues(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(
                directory.resolve("writer.pem"),
                "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n");
        ApplicationContextRunner founder = application()
                .withPropertyValues(
                        "georep.test.enabled=false",
                        "georep.f=0",
                        "georep.durability=memory",
                        "georep.host=127.0.0.1",
                        "georep.port=0",
                        "georep.fleet.role=founder",
                        "georep.fleet.nodes=10",
                        "georep.fleet.writers=MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=");
        founder.run(context -> assertThatThrownBy(() ->
                        get(context.getBean(Till.class).prices.put("milk", new Price("milk", 129), FleetOptions.ANY)))
                .hasCauseInstanceOf(FleetUnavailableException.class));
        founder.withPropertyValues("georep.fleet.writer-key-file=" + file)
                .run(context -> assertThat(get(context.getBean(Till.class)
                                        .prices
                                        .put("milk", new Price("milk", 129), FleetOptions.ANY))
                                .isApplied())
                        .isTrue());
    }

    @Test
    void withoutSeedsOrARoleThereAreNone() {
        TestApplication.alone()
                .withConfiguration(AutoConfigurations.of(GeoRepFleetAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(FleetMaps.class));
    }

    @Test
    void wrongPropertiesAreToldTogether() {
        application()
                .withPropertyValues(
                        "georep.test.enabled=false",
                        "georep.f=0",
                        "georep.durability=memory",
                        "georep.fleet.seeds=nowhere",
                        "georep.fleet.nodes=1000")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("seed 'nowhere' of the fleet is not host:port"));
        for (List<String> wrong : List.of(
                List.of(
                        "georep.fleet.role=founder,georep.fleet.writers=nonsense",
                        "georep.fleet: 'nonsense' is no public key"),
                List.of(
                        "georep.fleet.role=founder,georep.fleet.writer-key-file=/nowhere/writer.pem",
                        "cannot be read from /nowhere/writer.pem"),
                List.of("georep.fleet.role=client", "a client of a fleet without seeds would find nobody"),
                List.of("georep.fleet.role=founder,georep.fleet.seeds=a:1", "there is a fleet already"))) {
            application()
                    .withPropertyValues(wrong.get(0).split(","))
                    .run(context ->
                            assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(wrong.get(1)));
        }
    }
}
