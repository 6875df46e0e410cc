package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.MalformedException;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.protocol.BootKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StopRecordTest {
    private static final Timing TIMING = Timing.of(ProtocolConfig.defaults());
    private static final long ALIVE = 1_700_000_000_000L;

    @Test
    void noRecordMeansANewStore() {
        assertThat(StopRecord.judge(null, ALIVE, TIMING)).isEqualTo(BootKind.FRESH);
    }

    @ParameterizedTest(name = "down {0} s, announced {1} s: {2}")
    @CsvSource({
        // crash
        "0, , PROMPT",
        "30, , PROMPT",
        "30.001, , LATE",
        "86400, , LATE",
        "86400.001, , LATE",
        // GOODBYE: early, punctual, late
        "10, 3600, PROMPT",
        "3599.999, 3600, PROMPT",
        "3600, 3600, LATE",
        "5000, 3600, LATE",
        "10, 5, LATE",
        "80000, 100000, PROMPT",
        "90000, 100000, LATE",
        // for good
        "0, 0, LATE",
        "1, 0, LATE",
        // wall clock ran backwards
        "-0.001, , LATE",
        "-5000, , LATE",
        "-1, 3600, LATE"
    })
    void judgesTheDowntime(double downSeconds, Integer announcedSeconds, BootKind expected) {
        long returnAtMillis = announcedSeconds == null ? 0 : ALIVE + announcedSeconds * 1000L;
        StopRecord record = new StopRecord(ALIVE, returnAtMillis, BootKind.PROMPT);

        BootKind kind = StopRecord.judge(record, ALIVE + Math.round(downSeconds * 1000), TIMING);

        assertThat(kind).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"LATE, LATE", "STALE, STALE", "PROMPT, PROMPT"})
    void aDoubtfulBootThatWasCutShortIsDoubtfulAgain(BootKind unsettled, BootKind expected) {
        StopRecord record = new StopRecord(ALIVE, 0, unsettled);

        assertThat(StopRecord.judge(record, ALIVE + 1000, TIMING)).isEqualTo(expected);
    }

    @Test
    void theWorseOfTwoJudgementsCounts() {
        StopRecord record = new StopRecord(ALIVE, 0, BootKind.STALE);

        assertThat(StopRecord.judge(record, ALIVE + 90_000_000, TIMING)).isEqualTo(BootKind.STALE);
    }

    @Test
    void refusesNewerFormatsByNumber() {
        byte[] bytes = new StopRecord(1, 0, BootKind.PROMPT).encode().toArray();
        bytes[0] = 2;

        assertThatThrownBy(() -> StopRecord.decode(Slice.of(bytes)))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("format 2")
                .hasMessageContaining("reads 1");
    }
}
