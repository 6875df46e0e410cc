package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.NodeId;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which attempts stand in the log of a group, so that none counts twice, however late a message comes. For each contact and incarnation it
 * keeps a floor and the numbers above it. The floor rises with what the entries say, so all members have the same one.
 */
final class KnownIds {
    private record Source(NodeId contact, long incarnation) implements Comparable<Source> {
        @Override
        public int compareTo(Source other) {
            int byContact = contact.compareTo(other.contact);
            return byContact != 0 ? byContact : Long.compare(incarnation, other.incarnation);
        }
    }

    private static final class Numbers {
        /** Everything below is known. */
        long floor;

        final TreeSet<Long> above = new TreeSet<>();
    }

    private final TreeMap<Source, Numbers> sources = new TreeMap<>();

    private static Source source(OpId id) {
        return new Source(id.contact(), id.incarnation());
    }

    boolean has(OpId id) {
        Numbers known = sources.get(source(id));
        return known != null && (id.number() < known.floor || known.above.contains(id.number()));
    }

    /** Returns whether it is new. */
    boolean add(OpId id, long low) {
        Numbers known = sources.computeIfAbsent(source(id), source -> new Numbers());
        boolean isNew = id.number() >= known.floor && known.above.add(id.number());
        if (low > known.floor) {
            known.floor = low;
            known.above.headSet(low).clear();
        }
        return isNew;
    }

    void write(BinWriter out) {
        out.varint(sources.size());
        sources.forEach((source, known) -> {
            out.node(source.contact)
                    .varint(source.incarnation)
                    .varint(known.floor)
                    .varint(known.above.size());
            known.above.forEach(out::varint);
        });
    }

    static KnownIds read(BinReader in) {
        KnownIds ids = new KnownIds();
        for (int left = in.count(4, "sources"); left > 0; left--) {
            Numbers known = new Numbers();
            ids.sources.put(new Source(in.node(), in.varint()), known);
            known.floor = in.varint();
            for (int more = in.count(1, "numbers"); more > 0; more--) {
                known.above.add(in.varint());
            }
        }
        return ids;
    }

    /** For tests: how many numbers are kept. */
    int size() {
        return sources.values().stream().mapToInt(known -> known.above.size()).sum();
    }
}
