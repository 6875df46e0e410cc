package io.georep.geopaxos.core.execution;

import io.georep.geopaxos.core.messages.StatePiece.Name;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Names of pieces that have changed since the last snapshot. What came after it and is gone before the next one is not stored at all. */
final class StaleNames {
    /** The names, each with whether the piece is new since the last snapshot. */
    private final Map<Name, Boolean> names = new HashMap<>();

    /** Adds a piece that has changed, without looking whether it is new. */
    void add(Name name) {
        names.putIfAbsent(name, false);
    }

    /** Adds a piece that is new. */
    void born(Name name) {
        names.putIfAbsent(name, true);
    }

    /** Adds a piece that is gone; forgets one that was new. */
    void gone(Name name) {
        if (!Boolean.TRUE.equals(names.get(name))) {
            names.put(name, false);
        } else {
            names.remove(name);
        }
    }

    void clear() {
        names.clear();
    }

    /** Returns all in order, and forgets them. */
    Name[] take() {
        Name[] all = names.keySet().toArray(new Name[0]);
        names.clear();
        Arrays.sort(all);
        return all;
    }
}
