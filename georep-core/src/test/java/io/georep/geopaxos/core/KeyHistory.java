package io.georep.geopaxos.core;

import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.linear.Linearizability;
import io.georep.linear.Operation;
import io.georep.linear.Operation.Kind;
import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What clients of an ordered map saw of those keys that only operations on one key write. {@link GeoJudge} knows the order in which a run
 * executed everything; this knows nothing but calls and answers, as another checker does to which it can be given.
 */
final class KeyHistory {
    private static final String PREFIX = "k";

    private final List<Operation> operations = new ArrayList<>();

    /** A call was answered, with null if it never will be: then it may have taken effect, and may still. */
    void add(Slice body, long began, long ended, @Nullable Slice result) {
        MapOperation operation = MapOperation.decode(body);
        MapResult seen = result == null ? null : MapResult.decode(result);
        if (operation instanceof MapOperation.Get get && seen instanceof MapResult.Value read) {
            add(get.key(), Kind.READ, null, null, began, ended, true, read.value());
        } else if (operation instanceof MapOperation.Put put) {
            put(put.entry(), put.guard(), put.entry().expiresAt() > 0, began, ended, seen);
        } else if (operation instanceof MapOperation.PutFor put) {
            put(put.entry(), put.guard(), true, began, ended, seen);
        } else if (operation instanceof MapOperation.Remove remove
                && remove.guard().equals(Guard.NONE)) {
            add(remove.key(), Kind.REMOVE, null, null, began, ended, isApplied(seen), null);
        }
    }

    private static boolean isApplied(@Nullable MapResult seen) {
        return seen instanceof MapResult.Written written && written.applied();
    }

    private void put(MapEntry entry, Guard guard, boolean expires, long began, long ended, @Nullable MapResult seen) {
        Kind kind =
                guard.equals(Guard.NONE) ? Kind.PUT : guard.equals(Guard.ABSENT) ? Kind.PUT_IF_ABSENT : Kind.REPLACE;
        Slice expected = kind == Kind.REPLACE ? guard.expected() : null;
        Slice present =
                kind == Kind.PUT_IF_ABSENT && seen instanceof MapResult.Written written ? written.present() : null;
        add(entry.key(), kind, entry.value(), expected, began, ended, isApplied(seen), present);
        if (expires) {
            add(entry.key(), Kind.EXPIRE, entry.value(), null, began, Operation.NEVER, false, null);
        }
    }

    private void add(
            Slice key,
            Kind kind,
            @Nullable Slice value,
            @Nullable Slice expected,
            long began,
            long ended,
            boolean applied,
            @Nullable Slice seen) {
        if (text(key).startsWith(PREFIX)) {
            operations.add(new Operation(
                    text(key), kind, text(value), text(expected), began, ended, applied, text(seen), "client"));
        }
    }

    private static @Nullable String text(@Nullable Slice bytes) {
        return bytes == null ? null : new String(bytes.toArray(), StandardCharsets.UTF_8);
    }

    /** Throws if it is not linearizable. */
    void judge() {
        Linearizability.check(operations);
    }
}
