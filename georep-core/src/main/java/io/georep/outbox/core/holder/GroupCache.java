package io.georep.outbox.core.holder;

import io.georep.model.StreamId;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.StreamTable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Groups at hand, by stream and first sequence number. What is dropped is read again when it is needed. */
final class GroupCache {
    private final TreeMap<StreamId, TreeMap<Long, Group>> groups = new TreeMap<>();

    /** The streams of all groups, from the group that was added first. */
    private final Map<Group, StreamId> byAge = new LinkedHashMap<>();

    private long bytes;

    long bytes() {
        return bytes;
    }

    void add(StreamId stream, Group group) {
        Group before = groups.computeIfAbsent(stream, none -> new TreeMap<>()).put(group.first, group);
        if (before != null) {
            byAge.remove(before);
            bytes -= before.bytes().length();
        }
        byAge.put(group, stream);
        bytes += group.bytes().length();
    }

    /** Drops the oldest groups until the rest has room. */
    void shrink(long bytesMax) {
        Iterator<Map.Entry<Group, StreamId>> oldest = byAge.entrySet().iterator();
        while (bytes > bytesMax && oldest.hasNext()) {
            Map.Entry<Group, StreamId> next = oldest.next();
            Group group = next.getKey();
            oldest.remove();
            remove(next.getValue(), group);
        }
    }

    private void remove(StreamId stream, Group group) {
        TreeMap<Long, Group> ofStream = groups.get(stream);
        if (ofStream != null) {
            ofStream.remove(group.first);
            bytes -= group.bytes().length();
            if (ofStream.isEmpty()) {
                groups.remove(stream);
            }
        }
    }

    @Nullable
    Group find(StreamId stream, long sequence) {
        TreeMap<Long, Group> ofStream = groups.get(stream);
        Map.Entry<Long, Group> entry = ofStream == null ? null : ofStream.floorEntry(sequence);
        return entry != null && entry.getValue().contains(sequence) ? entry.getValue() : null;
    }

    /** Drops the groups within reach of these entries that have nothing ready any more. */
    void discard(StreamTable table, long from, long to) {
        TreeMap<Long, Group> ofStream = groups.get(table.id);
        if (ofStream == null) {
            return;
        }
        Long start = ofStream.floorKey(from);
        List<Group> touched = new ArrayList<>(
                ofStream.subMap(start == null ? from : start, to).values());
        for (Group group : touched) {
            if (!table.ready.intersects(group.first, group.to())) {
                byAge.remove(group);
                remove(table.id, group);
            }
        }
    }
}
