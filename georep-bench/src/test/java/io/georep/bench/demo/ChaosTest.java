package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs with {@code ./mvnw -Dgroups=chaos} only. */
@Tag("chaos")
class ChaosTest {
    @Test
    void keepsAllPromises() throws Exception {
        assertThat(ChaosMain.run(System.getProperties(), System.out)).isZero();
    }
}
