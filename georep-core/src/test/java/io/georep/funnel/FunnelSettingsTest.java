package io.georep.funnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Settings, options and views that are not valid are refused with what is allowed. */
class FunnelSettingsTest {
    private static final FunnelSettings DEFAULTS = FunnelSettings.defaults();
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void allMistakesAreToldTogether() {
        assertThatThrownBy(() -> new FunnelSettings(
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        Duration.ofMillis(99),
                        0.3,
                        Duration.ZERO,
                        Duration.ofDays(2),
                        Duration.ofSeconds(-1),
                        Duration.ZERO,
                        -1))
                .isInstanceOfSatisfying(
                        ConfigurationException.class,
                        e -> assertThat(e.faults())
                                .containsExactly(
                                        "keysMax of replicated maps is 0, at least 1",
                                        "bytesMax of replicated maps is 0, at least 1",
                                        "valueBytesMax of replicated maps is 0, at least 1",
                                        "uncommittedMax of replicated maps is 0, at least 1",
                                        "uncommittedPerKeyMax of replicated maps is 0, at least 1",
                                        "clientsMax of replicated maps is 0, at least 1",
                                        "lease of replicated maps is PT0.099S, allowed are PT0.1S to PT24H",
                                        "suspectAfter of replicated maps is PT0S, allowed are PT0.001S to PT24H",
                                        "writeTimeout of replicated maps is PT48H, allowed are PT0.001S to PT24H",
                                        "readTimeout of replicated maps is PT-1S, allowed are PT0.001S to PT24H",
                                        "resendAfter of replicated maps is PT0S, allowed are PT0.001S to PT24H",
                                        "clockRateError of replicated maps is 0.3, allowed are 0 to 0.2; 0.01 is 1 %",
                                        "uplinkBytesPerSecond of replicated maps is -1, at least 0; 0 if unknown"));
        assertThatThrownBy(() -> DEFAULTS.lease(SECOND, Double.NaN)).hasMessageContaining("clockRateError");
        assertThatThrownBy(() -> DEFAULTS.bounds(1, 10, 11)).hasMessageContaining("more than bytesMax, which is 10");
        assertThatThrownBy(() -> DEFAULTS.bounds(1, 1L << 40, FunnelSettings.VALUE_BYTES_LIMIT + 1))
                .hasMessageContaining("at most 67108864");
        assertThatThrownBy(() -> DEFAULTS.uncommitted(FunnelSettings.UNCOMMITTED_LIMIT + 1, 1))
                .hasMessageContaining("uncommittedMax of replicated maps is 16385, at most 16384");
    }

    @Test
    void eachSettingIsChangedByItself() {
        FunnelSettings changed = DEFAULTS.bounds(1, 20, 3)
                .uncommitted(4, 5)
                .clientsMax(6)
                .lease(Duration.ofSeconds(7), 0.08)
                .times(Duration.ofSeconds(9), Duration.ofSeconds(10), Duration.ofSeconds(11), Duration.ofSeconds(12))
                .uplink(13);

        assertThat(changed)
                .isEqualTo(new FunnelSettings(
                        1,
                        20,
                        3,
                        4,
                        5,
                        6,
                        Duration.ofSeconds(7),
                        0.08,
                        Duration.ofSeconds(9),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(11),
                        Duration.ofSeconds(12),
                        13));
    }

    @Test
    void optionsOfAWriteAreChecked() {
        assertThatThrownBy(() -> WriteOptions.defaults().topology(null))
                .as("else the thread of the node finds out, and the node ends")
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> WriteOptions.defaults().timeToLive(Duration.ZERO))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("PT0S, must be positive");
        assertThatThrownBy(() -> WriteOptions.defaults().timeToLive(Duration.ofDays(36_501)))
                .isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> WriteOptions.defaults().operation("web", 0))
                .isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> WriteOptions.defaults().operation("", 1)).isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> WriteOptions.defaults().operation("é".repeat(128), 1))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("255 bytes");
        assertThat(WriteOptions.defaults().operation("é".repeat(127), 1).operation())
                .isEqualTo(1);
    }

    @Test
    void aMasterForOneServesNobodyElseAndCountsOnAtEachStart() {
        NodeId self = NodeId.of("solo");
        assertThatThrownBy(() -> ViewMaster.Factory.alone()
                        .create(new ViewMaster.Place(self, DEFAULTS, "127.0.0.1", 7400, null)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("do not listen");

        ViewMaster master = ViewMaster.Factory.alone().create(new ViewMaster.Place(self, DEFAULTS, null, 0, null));
        ViewMaster.Renewal renewal = new ViewMaster.Renewal(self, 1, 4, 0, List.of());
        for (int i = 0; i < 2; i++) {
            assertThat(master.renew(renewal).toCompletableFuture().join())
                    .isEqualTo(new ViewMaster.Grant(new View(5, List.of(self)), DEFAULTS.lease(), true));
        }
    }
}
