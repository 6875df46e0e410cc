package io.georep.funnel.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.ConfigurationException;
import io.georep.model.Slice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the keys of several maps share one table. */
class MapKeyTest {
    @Test
    void aKeyBelongsToTheMapThatMadeItOnly() {
        for (String name : List.of("a", "ab", "é".repeat(127))) {
            MapKey key = new MapKey(name);
            Slice full = key.of(new byte[] {1, 2});
            assertThat(key.isOf(full)).isTrue();
            assertThat(key.keyOf(full).toArray()).containsExactly(1, 2);
            assertThat(MapKey.mapOf(full)).isEqualTo(name);
            assertThat(new MapKey("b").isOf(full)).isFalse();
            assertThat(new MapKey(name + "x").isOf(full)).isFalse();
        }
    }

    @Test
    void aNameThatIsEmptyOrTooLongIsRefused() {
        for (String bad : List.of("", "x".repeat(256), "é".repeat(128))) {
            assertThatThrownBy(() -> new MapKey(bad))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining(" bytes, allowed are 1 to 255");
        }
    }
}
