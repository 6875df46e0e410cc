package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import java.util.List;

/**
 * Which log a member has, and how far it is there.
 *
 * @param log see {@link Seats#log}; 0 for none
 * @param decided the last slot that it knows to be decided
 * @param accepted the last slot that it has an entry of
 * @param origins see {@link Seats#origins}
 */
public record LogPlace(long log, long decided, long accepted, List<Origin> origins) {
    /** Copies the list. */
    public LogPlace {
        origins = List.copyOf(origins);
    }

    boolean goesOnFrom(long other) {
        return origins.stream().anyMatch(each -> each.log() == other);
    }

    /** Returns whether all that is decided in another log up to a slot is so in this one. */
    boolean has(long other, long upTo) {
        return log == other || origins.stream().anyMatch(each -> each.log() == other && upTo <= each.last());
    }

    /** Returns whether what is decided in one of two logs is not decided otherwise in the other one. */
    public boolean agreesWith(LogPlace other) {
        return log == 0 || other.log == 0 || has(other.log, other.decided) || other.has(log, decided);
    }

    /** Appends the encoding. */
    public void write(BinWriter out) {
        Origin.write(origins, out.i64(log).varint(decided).varint(accepted));
    }

    /** Reads what {@link #write} has written. */
    public static LogPlace read(BinReader in) {
        return new LogPlace(
                in.i64(),
                in.varint(LogMessage.SLOT_MAX, "slot"),
                in.varint(LogMessage.SLOT_MAX, "slot"),
                Origin.read(in));
    }
}
