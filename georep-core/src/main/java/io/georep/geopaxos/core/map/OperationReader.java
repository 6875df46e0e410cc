package io.georep.geopaxos.core.map;

import io.georep.codec.Fnv;
import io.georep.codec.MalformedException;
import io.georep.geopaxos.core.execution.Footprint;
import io.georep.geopaxos.core.map.MapOperation.Call;
import io.georep.geopaxos.core.map.MapOperation.Count;
import io.georep.geopaxos.core.map.MapOperation.Merge;
import io.georep.geopaxos.core.map.MapOperation.Scan;
import io.georep.geopaxos.core.map.MapOperation.Split;
import io.georep.model.Slice;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Reads operations, and remembers the last one: the protocol asks about each several times in a row. */
final class OperationReader {
    private final KnownProcedures procedures;
    private Slice lastRead = Slice.EMPTY;
    private @Nullable MapOperation last;
    private Procedure.@Nullable Keys keys;
    private @Nullable Footprint footprint;

    OperationReader(KnownProcedures procedures) {
        this.procedures = procedures;
    }

    /** Null for what is no operation. */
    @SuppressWarnings("ReferenceEquality") // equal bytes are read again, which does no harm
    @Nullable
    MapOperation decode(Slice operation) {
        if (operation != lastRead) {
            keys = null;
            footprint = null;
            try {
                last = MapOperation.decode(operation);
            } catch (MalformedException e) {
                last = null;
            }
            lastRead = operation;
        }
        return last;
    }

    /** Returns the keys of an operation that has no others; none if it will fail. */
    Procedure.Keys keys(Slice operation) {
        MapOperation decoded = decode(operation);
        Procedure.Keys known = keys;
        if (known == null) {
            known = procedures.keys(decoded);
            keys = known;
        }
        return known;
    }

    Footprint footprint(Slice operation) {
        MapOperation decoded = decode(operation);
        Footprint known = footprint;
        if (known == null) {
            known = footprint(decoded, operation);
            footprint = known;
        }
        return known;
    }

    private Footprint footprint(@Nullable MapOperation decoded, Slice operation) {
        boolean finds = decoded instanceof Call && keys(operation).finds();
        if (finds || decoded instanceof Scan || decoded instanceof Count) {
            return Footprint.EVERYTHING;
        } else if (decoded instanceof Split split) {
            return Footprint.objects(LongStream.concat(LongStream.of(split.leaf()), LongStream.of(Leaf.born(split)))
                    .toArray());
        } else if (decoded instanceof Merge merge) {
            return Footprint.objects(merge.left(), merge.right());
        }
        return Footprint.keys(
                hashes(keys(operation).reads()), hashes(keys(operation).writes()));
    }

    private static long[] hashes(List<Slice> keys) {
        long[] hashes = new long[keys.size()];
        for (int place = 0; place < hashes.length; place++) {
            hashes[place] = Fnv.hash(keys.get(place));
        }
        return hashes;
    }
}
