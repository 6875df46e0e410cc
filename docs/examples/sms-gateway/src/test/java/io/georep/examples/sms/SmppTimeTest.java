package io.georep.examples.sms;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SmppTimeTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "000000000002000R, 2026-01-31T12:00:02Z",
        "000001020304000R, 2026-02-01T14:03:04Z",
        "000100000000000R, 2026-02-28T12:00:00Z",
        "010000000000000R, 2027-01-31T12:00:00Z",
        "260201130405600+, 2026-02-01T13:04:05.600Z",
        "260201130405604+, 2026-02-01T12:04:05.600Z",
        "260201130405608-, 2026-02-01T15:04:05.600Z",
    })
    void areRead(String text, Instant instant) {
        assertThat(SmppTime.instant(text, NOW)).isEqualTo(instant);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "tomorrow", "000000000002000", "261301000000000+", "260201250000000+", "260201130405699+"})
    void areRefusedWhenTheyAreNone(String text) {
        assertThat(SmppTime.valid(text)).isFalse();
    }

    @Test
    void areWrittenInUtc() {
        assertThat(SmppTime.absolute(Instant.parse("2026-02-01T13:04:05.678Z"))).isEqualTo("260201130405600+");
        assertThat(SmppTime.absolute(Instant.parse("2125-01-01T00:00:00Z"))).isEqualTo("991231235959000+");
        assertThat(SmppTime.absolute(Instant.parse("1999-12-31T12:00:00Z"))).isEqualTo("000101000000000+");
    }
}
