package io.georep.geopaxos.core.execution;

import io.georep.geopaxos.core.messages.StatePiece.Name;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Names of pieces that have changed since the last snapshot. What came after it and is gone before the next one is not stored at all. */
final class StaleNames {
    /** With whether the last snapshot has no such piece. */
    private final Map<Name, Boolean> names = new HashMap<>();

    /** A piece has changed or is gone, or has come. */
    void add(Name name) {
        names.putIfAbsent(name, false);
    }

    /** A piece has come. */
    void born(Name name) {
        names.putIfAbsent(name, true);
    }

    /** A piece is gone. */
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
