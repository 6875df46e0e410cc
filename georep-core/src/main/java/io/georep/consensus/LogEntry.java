package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import java.util.List;

/**
 * What stands in a slot of the log.
 *
 * @param kind {@link #COMMAND} or {@link #SEATS}
 * @param body a command of the application, or {@link Seats#encode seats}
 */
public record LogEntry(int kind, Slice body) {
    /** Means something to the application. */
    public static final int COMMAND = 1;

    /** The seats from the next slot on. */
    public static final int SEATS = 2;

    static LogEntry seats(List<Seat> seats) {
        return new LogEntry(SEATS, Seats.encode(seats));
    }

    boolean changesSeats() {
        return kind == SEATS;
    }

    void write(BinWriter out) {
        out.u8(kind).bytes(body);
    }

    static LogEntry read(BinReader in) {
        int kind = in.u8();
        if (kind != COMMAND && kind != SEATS) {
            throw new MalformedException("an entry of kind " + kind);
        }
        // Copied: it is kept for long and must not keep the message or page that it came in.
        LogEntry entry = new LogEntry(kind, Slice.of(in.bytes().toArray()));
        if (kind == SEATS) {
            Seats.read(entry.body);
        }
        return entry;
    }
}
