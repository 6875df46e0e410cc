package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.funnel.core.messages.FunnelBounds;
import io.georep.funnel.core.messages.FunnelLayout;
import io.georep.funnel.core.messages.Stamp;
import io.georep.funnel.core.messages.Version;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A key: what was committed last, and the writes that are not committed. {@link Tables} and {@link Uncommitted} change it. */
final class Cell extends Item {
    private static final byte[] NO_RECORD = {};

    /** Part of the key in the store. */
    final Slice key;

    /** Clock of the newest commit; it was the greatest of this key so far. */
    long clock;

    /** Head of the newest commit; null before the first one. */
    @Nullable
    NodeId head;

    /** Part of the record; null if the key has no value. */
    @Nullable
    Slice value;

    /** Wall clock milliseconds, 0 for never. */
    long expiresAt;

    /** The uncommitted writes by their stamps. */
    @Nullable
    Write first;

    @Nullable
    Write last;

    /** Where the mirror keeps this key; null if it has to look it up. */
    @Nullable
    Object place;

    /** How many of its uncommitted writes were made here. */
    int own;

    /**
     * The place of this key among all keys in the order of their first commits since the start, from 1; 0 before its
     * first commit.
     */
    long born;

    /** Whether it is among those that {@link Shown} shows at the end of the turn. */
    boolean isToShow;

    Cell(byte[] storeKey) {
        super(storeKey, NO_RECORD);
        key = new Slice(storeKey, FunnelLayout.PREFIX_BYTES, storeKey.length - FunnelLayout.PREFIX_BYTES);
    }

    /** Reads the record of a key; both arrays are kept. */
    static Cell of(byte[] place, byte[] record) {
        Cell cell = new Cell(place);
        cell.read(record);
        return cell;
    }

    /** Takes what was committed, and makes the record of it. */
    void set(Version version, long ofWrite, NodeId of, @Nullable Slice content, long end) {
        BinWriter out = new BinWriter(48 + of.value().length() + (content == null ? 0 : content.length()));
        version.write(out);
        out.varint(ofWrite).node(of).varint(end);
        FunnelLayout.writeContent(content, out);
        byte[] record = out.toArray();
        record(record);
        view = version.view();
        commit = version.commit();
        clock = ofWrite;
        head = of;
        expiresAt = end;
        value = content == null ? null : new Slice(record, record.length - content.length(), content.length());
    }

    /** Reads a record; the array is kept. */
    void read(byte[] stored) {
        BinReader in = new BinReader(Slice.of(stored));
        Version version = Version.read(in);
        long readClock = FunnelBounds.CLOCK.read(in);
        NodeId readHead = in.node();
        long end = FunnelBounds.WALL_MILLIS.read(in);
        value = FunnelLayout.readContent(in);
        record(stored);
        view = version.view();
        commit = version.commit();
        clock = readClock;
        head = readHead;
        expiresAt = end;
    }

    /** Forgets what was committed. */
    void forget() {
        record(NO_RECORD);
        view = 0;
        commit = 0;
        clock = 0;
        head = null;
        value = null;
        expiresAt = 0;
        born = 0;
    }

    boolean isDirty() {
        return first != null;
    }

    /** Returns whether a write of this key was committed, or overwritten before anybody could see that. */
    boolean isSettled(Write write) {
        return head != null && write.compareStamp(clock, head) <= 0;
    }

    /** Returns whether the newest commit is that of this write. */
    boolean isOf(@Nullable Stamp stamp) {
        return stamp != null && clock == stamp.clock() && stamp.head().equals(head);
    }

    /**
     * Returns whether this removes the key at the end of its time to live, as that is now. If a later write has set the
     * same end, it removes that value, too.
     */
    boolean endsAt(Write.Content content) {
        return content.kind() == Write.EXPIRE && content.lifeMillis() == expiresAt;
    }

    /** Returns whether the removal at that end is under way. */
    boolean isEnding() {
        Write each = last;
        while (each != null && !endsAt(each.content)) {
            each = each.previousOfKey;
        }
        return each != null;
    }

    /** Returns bytes of key and value; 0 without a value. */
    long bytes() {
        return value == null ? 0 : key.length() + value.length();
    }

    /** Adds a write; the list stays sorted by stamps. */
    void add(Write write) {
        Write before = last;
        while (before != null && before.compareTo(write) > 0) {
            before = before.previousOfKey;
        }
        Write after = before == null ? first : before.nextOfKey;
        write.previousOfKey = before;
        write.nextOfKey = after;
        if (before == null) {
            first = write;
        } else {
            before.nextOfKey = write;
        }
        if (after == null) {
            last = write;
        } else {
            after.previousOfKey = write;
        }
    }

    void remove(Write write) {
        Write before = write.previousOfKey;
        Write after = write.nextOfKey;
        if (before == null) {
            first = after;
        } else {
            before.nextOfKey = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previousOfKey = before;
        }
        write.previousOfKey = null;
        write.nextOfKey = null;
    }

    /** For comparisons with the values of callers. */
    boolean holds(@Nullable Slice expected) {
        return Objects.equals(value, expected);
    }
}
