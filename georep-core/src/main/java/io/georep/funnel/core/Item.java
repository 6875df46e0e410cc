package io.georep.funnel.core;

import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.FunnelMessages.Stored;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Slice;
import org.jspecify.annotations.Nullable;

/** What a commit changed last: a key or the record of a client. All items of a node form a list in the order of these commits. */
abstract class Item {
    /** View of the newest commit; 0 before the first one. */
    long view;

    /** Its number in that view. */
    long commit;

    /** Bytes of the record that still has to be written to the store; 0 if none has. */
    int lateBytes;

    @Nullable
    Item previous;

    @Nullable
    Item next;

    private final byte[] storeKey;
    private byte[] record;

    /** Both are as in the store and in a page of a transfer, and are kept. */
    Item(byte[] storeKey, byte[] record) {
        this.storeKey = storeKey;
        this.record = record;
    }

    final byte[] storeKey() {
        return storeKey;
    }

    final byte[] record() {
        return record;
    }

    /** Takes the record that another commit has made of it. */
    final void record(byte[] next) {
        record = next;
    }

    /** Returns it as a page of a transfer carries it. */
    final Stored stored() {
        byte[] place = storeKey();
        Slice name = new Slice(place, FunnelLayout.PREFIX_BYTES, place.length - FunnelLayout.PREFIX_BYTES);
        return new Stored(this instanceof ClientRecord, name, Slice.of(record()));
    }

    final boolean isNewerThan(Version version) {
        return Version.compare(view, commit, version.view(), version.commit()) > 0;
    }

    final boolean isAt(Version version) {
        return view == version.view() && commit == version.commit();
    }
}
