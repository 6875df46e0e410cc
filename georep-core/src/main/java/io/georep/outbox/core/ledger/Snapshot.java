package io.georep.outbox.core.ledger;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.Bound;
import io.georep.codec.MalformedException;
import io.georep.model.Slice;
import io.georep.model.StoreException;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import java.util.ArrayList;
import java.util.List;

/**
 * All stream tables in one piece: part 0 says up to which fact it holds and how many tables follow, one part each, and
 * holds the archive.
 * Written in one batch, so it is there completely or not at all.
 */
public final class Snapshot {
    private static final int FORMAT = 4;

    private Snapshot() {}

    /** Replaces the stored snapshot; returns its size in bytes. */
    public static long write(long factNumber, Ledger ledger, StoreBatch batch) {
        batch.deleteRange(OutboxKeys.snapshot(0), OutboxKeys.snapshot(Long.MAX_VALUE));
        BinWriter head = new BinWriter()
                .u8(FORMAT)
                .varint(factNumber)
                .varint(ledger.tables().size());
        ledger.archive.write(head.varint(ledger.age.notedMillis()));
        batch.put(OutboxKeys.snapshot(0), head.toSlice());
        long bytes = head.size();
        long part = 0;
        for (StreamTable table : ledger.tables()) {
            BinWriter out = new BinWriter(256);
            writeTable(table, out);
            batch.put(OutboxKeys.snapshot(++part), out.toSlice());
            bytes += out.size();
        }
        return bytes;
    }

    /** Fills a ledger from the stored snapshot; returns the number of the last fact it includes, 0 when none. */
    public static long read(EntryStore store, Ledger ledger) {
        List<Slice> parts = new ArrayList<>();
        store.scanNow(OutboxKeys.snapshot(0), OutboxKeys.snapshot(Long.MAX_VALUE), (key, value) -> parts.add(value));
        if (parts.isEmpty()) {
            return 0;
        }
        try {
            BinReader head = new BinReader(parts.get(0));
            int format = head.u8();
            if (format != FORMAT) {
                throw new StoreException(
                        StoreException.Kind.NEWER_VERSION,
                        "the outbox snapshot has format " + format + ", this version reads " + FORMAT
                                + "; start the version that wrote it");
            }
            long factNumber = head.varint();
            if (head.varint() != parts.size() - 1) {
                throw new MalformedException("parts are missing");
            }
            ledger.age.noted(Bound.MILLIS.read(head));
            ledger.archive.read(head);
            for (Slice part : parts.subList(1, parts.size())) {
                ledger.add(readTable(new BinReader(part)));
            }
            return factNumber;
        } catch (MalformedException e) {
            throw new StoreException(
                    StoreException.Kind.CORRUPT, "the outbox snapshot cannot be read: " + e.getMessage(), e);
        }
    }

    private static void writeTable(StreamTable table, BinWriter out) {
        out.stream(table.id).text(table.queue).varint(table.next()).varint(table.finished.floor());
        out.varint(table.touchedMillis);
        table.write(out);
    }

    private static StreamTable readTable(BinReader in) {
        StreamTable table = new StreamTable(in.stream(), in.text());
        long next = in.varint(OutboxBounds.SEQUENCE.max() + 1, "next sequence number");
        long floor = in.varint(OutboxBounds.SEQUENCE.max() + 1, "floor");
        table.touchedMillis = Bound.MILLIS.read(in);
        table.read(in, next, floor);
        return table;
    }
}
