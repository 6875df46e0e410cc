package io.georep.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineMeterTest {
    @Test
    void waitingForWorkOrForTheDiskIsNotBusyAndWhatOthersTakeIs() {
        String stat = "cpu  100 10 50 9000 500 5 3 77 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";

        assertThat(MachineMeter.busyNanos(stat)).isEqualTo((100 + 10 + 50 + 5 + 3 + 77) * 10_000_000L);
    }

    @Test
    void somethingThatIsNoSuchFileIsNoTime() {
        assertThat(MachineMeter.busyNanos("")).isZero();
    }

    @Test
    void describesThisMachine() throws Exception {
        assertThat(MachineMeter.description())
                .containsKeys("processor", "memory", "kernel", "commit", "date")
                .containsEntry("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    }
}
