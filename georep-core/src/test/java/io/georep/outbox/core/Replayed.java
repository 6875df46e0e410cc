package io.georep.outbox.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.stream.SetRelations;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** What a store says is what its node knows, bit for bit: one fact, one way to apply it. */
final class Replayed {
    private Replayed() {}

    /**
     * Fails when a ledger that reads the store is another one than that which wrote it. Nothing is said while there is
     * something it has not written yet.
     */
    static void assertSame(Ledger live, EntryStore store) {
        if (!live.isFlushed()) {
            return;
        }
        Ledger read = new Ledger();
        read.archive.streamsMax = live.archive.streamsMax;
        read.load(store);
        read.tables().forEach(SetRelations::hold);
        List<String> expected = image(live);
        List<String> actual = image(read);
        if (!actual.equals(expected)) {
            assertThat(describe(read)).isEqualTo(describe(live));
            assertThat(actual).isEqualTo(expected);
        }
    }

    private static List<String> image(Ledger ledger) {
        List<String> image = new ArrayList<>();
        for (StoreBatch.Op op : ledger.image().ops()) {
            image.add(HexFormat.of().formatHex(op.key()) + " "
                    + HexFormat.of().formatHex(op.value().toArray()));
        }
        return image;
    }

    private static String describe(Ledger ledger) {
        StringBuilder text =
                new StringBuilder("age " + ledger.age.notedMillis() + ", archive " + ledger.archive.size());
        LedgerTest.durable(ledger)
                .forEach((stream, table) ->
                        text.append('\n').append(stream).append(' ').append(table));
        ledger.tables().forEach(table -> text.append('\n').append(table.touchedMillis));
        return text.toString();
    }
}
