package io.georep.examples.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A small demo. */
class FleetDemoTest {
    @Test
    @Timeout(180)
    void noTillIsWrongWhileTillsAreReplaced() throws InterruptedException {
        assertThat(new FleetDemo(new DemoOptions(5, 4, 2)).run()).isZero();
    }

    @Test
    void wrongOptionsAreRefused() {
        assertThatThrownBy(() -> new DemoOptions(1, 8, 2)).hasMessageContaining("4 to 500 tills");
    }
}
