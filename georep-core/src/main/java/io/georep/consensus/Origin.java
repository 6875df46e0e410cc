package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * A log from which another one has gone on.
 *
 * @param log see {@link Seats#log}
 * @param last the last slot that the two surely have in common
 */
public record Origin(long log, long last) {
    /** The most origins of a log: each takes an order of an operator. */
    private static final int MAX = 1_000;

    static void write(List<Origin> origins, BinWriter out) {
        out.varint(origins.size());
        origins.forEach(each -> out.i64(each.log).varint(each.last));
    }

    static List<Origin> read(BinReader in) {
        List<Origin> origins = new ArrayList<>();
        for (int left = (int) in.varint(MAX, "origins"); left > 0; left--) {
            origins.add(new Origin(in.i64(), in.varint(LogMessage.SLOT_MAX, "slot")));
        }
        return origins;
    }
}
