package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.List;

/**
 * What stands in a slot of the log.
 *
 * @param kind {@link #COMMAND}, {@link #SEATS} or {@link #GOES_ON}
 * @param body a command of the application, or {@link Seats#encode seats}; with {@link #GOES_ON} a varint more: the last slot in common
 */
public record LogEntry(int kind, Slice body) {
    /** Means something to the application. */
    public static final int COMMAND = 1;

    /** The seats from the next slot on. */
    public static final int SEATS = 2;

    /** The only seat from the next slot on, of another log that has gone on from this one. */
    public static final int GOES_ON = 3;

    static LogEntry goesOn(Seat seat, long lastInCommon) {
        Slice body = new BinWriter()
                .raw(Seats.encode(List.of(seat)))
                .varint(lastInCommon)
                .toSlice();
        return new LogEntry(GOES_ON, body);
    }

    long lastInCommon() {
        BinReader in = new BinReader(body);
        Seats.list(in);
        return in.varint(LogMessage.SLOT_MAX, "slot");
    }

    static LogEntry seats(List<Seat> seats) {
        return new LogEntry(SEATS, Seats.encode(seats));
    }

    boolean changesSeats() {
        return kind != COMMAND;
    }

    void write(BinWriter out) {
        out.u8(kind).bytes(body);
    }

    static LogEntry read(BinReader in) {
        int kind = in.u8();
        if (kind < COMMAND || kind > GOES_ON) {
            throw new MalformedException("an entry of kind " + kind);
        }
        // Copied: it is kept for long and must not keep the message or page that it came in.
        LogEntry entry = new LogEntry(kind, Slice.of(in.bytes().toArray()));
        if (kind == GOES_ON) {
            var unused = entry.lastInCommon();
        } else if (kind == SEATS) {
            Seats.read(entry.body);
        }
        return entry;
    }
}
