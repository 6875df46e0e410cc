package io.georep.outbox.core.messages;

import io.georep.model.EntryId;
import io.georep.model.StreamId;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Entries of one queue that the node asks back. Not changed once it is told to the application; then any thread may look. */
public final class RecalledEntries {
    private final Map<StreamId, SequenceSet> members = new TreeMap<>();

    public RecalledEntries() {}

    /** These entries. */
    public static RecalledEntries of(List<EntryId> ids) {
        RecalledEntries entries = new RecalledEntries();
        ids.forEach(id -> entries.add(id.stream(), RangeList.of(id.sequence(), id.sequence() + 1)));
        return entries;
    }

    public void add(StreamId stream, RangeList entries) {
        members.computeIfAbsent(stream, none -> new SequenceSet()).addAll(entries);
    }

    /** Returns whether the node asks for this entry. */
    public boolean contains(EntryId id) {
        SequenceSet ofStream = members.get(id.stream());
        return ofStream != null && ofStream.contains(id.sequence());
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        members.forEach((stream, entries) -> text.append(text.isEmpty() ? "" : " ")
                .append(stream)
                .append(' ')
                .append(entries.all()));
        return text.toString();
    }
}
