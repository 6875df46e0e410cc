package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/** The last operation of a client that retries. Made anew by each operation. */
final class ClientRecord extends Item {
    final String client;
    final long operation;

    /** Whether its condition held. */
    final boolean applied;

    /** The value that it found, if its caller is told of it. */
    final @Nullable Slice before;

    ClientRecord(
            byte[] storeKey,
            byte[] record,
            String client,
            long operation,
            boolean applied,
            @Nullable Slice before,
            Version version) {
        super(storeKey, record);
        this.client = client;
        this.operation = operation;
        this.applied = applied;
        this.before = before;
        view = version.view();
        commit = version.commit();
    }

    /** Makes a record. */
    static ClientRecord of(String client, long operation, boolean applied, @Nullable Slice before, Version version) {
        BinWriter out = new BinWriter(32 + (before == null ? 0 : before.length()));
        version.write(out);
        out.varint(operation).u8(applied ? 1 : 0);
        FunnelLayout.writeContent(before, out);
        byte[] record = out.toArray();
        Slice kept = before == null ? null : new Slice(record, record.length - before.length(), before.length());
        return new ClientRecord(
                FunnelLayout.clientPlace(Slice.utf8(client)), record, client, operation, applied, kept, version);
    }

    /** Reads the record of a client; both arrays are kept. */
    static ClientRecord read(byte[] place, byte[] record) {
        BinReader in = new BinReader(Slice.of(record));
        Version version = Version.read(in);
        long operation = in.varint(Long.MAX_VALUE, "operation");
        boolean applied = FunnelLayout.flag(in);
        return new ClientRecord(
                place, record, FunnelLayout.client(place), operation, applied, FunnelLayout.readContent(in), version);
    }

    /** Returns bytes of the value that is kept. */
    long bytes() {
        return before == null ? 0 : before.length();
    }
}
