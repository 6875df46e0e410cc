package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import io.georep.protocol.BootKind;
import org.jspecify.annotations.Nullable;

/**
 * What a node leaves behind for its next boot. It is written at boot, every T_s, and with GOODBYE. This is the only use
 * of the wall clock (gap G11).
 *
 * @param lastAliveMillis wall clock of the last write, so the node stopped at most T_s later
 * @param returnAtMillis wall clock of the announced return, 0 when no GOODBYE was said
 * @param unsettled how an earlier boot was judged that may not have lived long enough to act on it
 */
record StopRecord(long lastAliveMillis, long returnAtMillis, BootKind unsettled) {
    private static final int FORMAT = 1;

    Slice encode() {
        return new BinWriter(32)
                .u8(FORMAT)
                .i64(lastAliveMillis)
                .i64(returnAtMillis)
                .u8(code(unsettled))
                .toSlice();
    }

    static StopRecord decode(Slice value) {
        BinReader in = new BinReader(value);
        StoredMembership.checkFormat(in.u8(), FORMAT, "stop record");
        return new StopRecord(in.i64(), in.i64(), kind(in.u8()));
    }

    /**
     * Returns how the previous run ended (section 6.8). Doubt counts as late: the price is a question to the owners, the price of
     * the opposite error is a duplicate.
     *
     * @param previous null for a new store
     */
    static BootKind judge(@Nullable StopRecord previous, long wallMillis, Timing timing) {
        if (previous == null) {
            return BootKind.FRESH;
        }
        return worse(previous.unsettled, previous.judgeDowntime(wallMillis, timing));
    }

    private BootKind judgeDowntime(long wallMillis, Timing timing) {
        long downMillis = wallMillis - lastAliveMillis;
        if (downMillis < 0 || downMillis > Timing.millisOf(timing.tombstoneNanos())) {
            return BootKind.LATE;
        }
        boolean inTime = returnAtMillis != 0
                ? wallMillis < returnAtMillis
                : downMillis <= Timing.millisOf(timing.failoverNanos());
        return inTime ? BootKind.PROMPT : BootKind.LATE;
    }

    private static BootKind worse(BootKind a, BootKind b) {
        return code(a) >= code(b) ? a : b;
    }

    /** Stable number in stored records; a higher one calls for more care. */
    private static int code(BootKind kind) {
        return switch (kind) {
            case FRESH -> 0;
            case PROMPT -> 1;
            case LATE -> 2;
            case STALE -> 4;
        };
    }

    private static BootKind kind(int code) {
        return switch (code) {
            case 0 -> BootKind.FRESH;
            case 1 -> BootKind.PROMPT;
            case 2 -> BootKind.LATE;
            case 4 -> BootKind.STALE;
            default -> throw new MalformedException("boot kind " + code + " in the stop record");
        };
    }
}
