package io.georep.outbox.core.stream;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.EntryState;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.sets.OutboxBounds;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceView;
import java.util.List;

/**
 * Consecutive entries of one stream with the same owners: the unit that is encoded once by the origin, travels as it
 * is, and is stored as it is on every owner.
 *
 * <pre>
 * u8 format = 1 | u8 flags (1 = prepared) | stream | varint first | text queue | custody | varint count | count × varint length | payloads
 * </pre>
 */
public final class Group {
    private static final int FORMAT = 1;
    private static final int PREPARED = 1;

    public final StreamId stream;
    public final long first;
    public final String queue;
    public final Custody custody;

    /** Whether the entries wait for a decision before they may be handed out. */
    public final boolean prepared;

    private final Slice bytes;
    private final int[] offsets;

    private Group(
            StreamId stream, long first, String queue, Custody custody, boolean prepared, Slice bytes, int[] offsets) {
        this.stream = stream;
        this.prepared = prepared;
        this.first = first;
        this.queue = queue;
        this.custody = custody;
        this.bytes = bytes;
        this.offsets = offsets;
    }

    /** Encodes entries that start at {@code first}. */
    public static Group encode(
            StreamId stream, long first, String queue, Custody custody, boolean prepared, List<Slice> payloads) {
        int total = 0;
        for (Slice payload : payloads) {
            total += payload.length() + 3;
        }
        BinWriter out = new BinWriter(total + 96);
        out.u8(FORMAT).u8(prepared ? PREPARED : 0).stream(stream).varint(first).text(queue);
        custody.write(out);
        out.varint(payloads.size());
        for (Slice payload : payloads) {
            out.varint(payload.length());
        }
        int[] offsets = new int[payloads.size() + 1];
        offsets[0] = out.size();
        for (int i = 0; i < payloads.size(); i++) {
            out.raw(payloads.get(i));
            offsets[i + 1] = out.size();
        }
        return new Group(stream, first, queue, custody, prepared, out.view(), offsets);
    }

    /** Reads and checks a whole group; shares the bytes. */
    public static Group decode(Slice bytes) {
        BinReader in = new BinReader(bytes);
        int format = in.u8();
        if (format != FORMAT) {
            throw new MalformedException("group format " + format + ", this version reads " + FORMAT);
        }
        int flags = in.u8();
        if ((flags & ~PREPARED) != 0) {
            throw new MalformedException("unknown flags " + flags + " of a group");
        }
        boolean prepared = (flags & PREPARED) != 0;
        StreamId stream = in.stream();
        long first = OutboxBounds.SEQUENCE.read(in);
        String queue = QueueNames.read(in);
        Custody custody = Custody.read(in, EntryState.COPY);
        int count = in.count(1, "entry count");
        if (count == 0) {
            throw new MalformedException("group without entries");
        }
        if (count - 1 > OutboxBounds.SEQUENCE.max() - first) {
            throw new MalformedException(
                    count + " entries from number " + first + " on, the last number is " + OutboxBounds.SEQUENCE.max());
        }
        int[] offsets = new int[count + 1];
        long end = 0;
        for (int i = 0; i < count; i++) {
            end += in.varint(bytes.length(), "payload length");
            offsets[i + 1] = (int) Math.min(end, Integer.MAX_VALUE);
        }
        if (end != in.remaining()) {
            throw new MalformedException("payloads take " + end + " bytes, " + in.remaining() + " are there");
        }
        int start = bytes.length() - in.remaining();
        for (int i = 0; i <= count; i++) {
            offsets[i] += start;
        }
        return new Group(stream, first, queue, custody, prepared, bytes, offsets);
    }

    int count() {
        return offsets.length - 1;
    }

    /** Sequence number behind the last entry. */
    public long to() {
        return first + count();
    }

    /** Returns the encoded group. */
    public Slice bytes() {
        return bytes;
    }

    public boolean contains(long sequence) {
        return sequence >= first && sequence < to();
    }

    /** Payload of an entry, shared. */
    public Slice payload(long sequence) {
        int i = (int) (sequence - first);
        return new Slice(bytes.array(), bytes.offset() + offsets[i], offsets[i + 1] - offsets[i]);
    }

    /** These entries without the bytes of the others, if those are most of all. */
    public Group withoutMost(long from, long to) {
        int some = offsets[(int) (to - first)] - offsets[(int) (from - first)];
        return some < bytes.length() / 2 ? part(from, to, custody) : this;
    }

    /** Returns the same payloads of a part of the entries, under a custody. */
    public Group part(long from, long to, Custody other) {
        return part(from, to, other, prepared);
    }

    /** Returns the same payloads of a part of the entries, under a custody, prepared or not. */
    public Group part(long from, long to, Custody other, boolean undecided) {
        if (from == first && to == to() && other.equals(custody) && undecided == prepared) {
            return this;
        }
        List<Slice> payloads = new java.util.ArrayList<>((int) (to - from));
        for (long sequence = from; sequence < to; sequence++) {
            payloads.add(payload(sequence));
        }
        return encode(stream, from, queue, other, undecided, payloads);
    }

    /**
     * These entries under a custody, one group per range. Decided and undecided ones travel apart: the flag in the stored
     * group may be outdated.
     */
    public List<Group> parts(RangeList ranges, Custody other, SequenceView undecided) {
        List<Group> parts = new java.util.ArrayList<>();
        RangeList open = undecided.within(ranges);
        RangeList decided = ranges.without(open);
        for (int i = 0; i < decided.count(); i++) {
            parts.add(part(decided.from(i), decided.to(i), other, false));
        }
        for (int i = 0; i < open.count(); i++) {
            parts.add(part(open.from(i), open.to(i), other, true));
        }
        return parts;
    }
}
