package io.georep.geopaxos.core.execution;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Indexes the operations of a group by what they may use, so that those that meet another operation are found without a look at
 * the rest.
 */
public class Conflicts {
    private final NavigableSet<Pending> all = new TreeSet<>();
    private final NavigableSet<Pending> everything = new TreeSet<>();

    /** The operations that change objects as such. */
    private final NavigableSet<Pending> structural = new TreeSet<>();

    /** By the hash of a key: the operations that read it. */
    private final Map<Long, NavigableSet<Pending>> readers = new HashMap<>();

    private final Map<Long, NavigableSet<Pending>> writers = new HashMap<>();

    /** By the number of an object: the operations that have it in their footprints. */
    private final Map<Long, NavigableSet<Pending>> named = new HashMap<>();

    /** By the number of an object: the operations whose keys are in it at present. */
    private final Map<Long, NavigableSet<Pending>> users = new HashMap<>();

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Adds an operation. Returns whether it was not there before. */
    public boolean add(Pending each) {
        if (!all.add(each)) {
            return false;
        }
        Footprint footprint = each.footprint;
        if (footprint.everything()) {
            everything.add(each);
        }
        if (footprint.hasObjects()) {
            structural.add(each);
        }
        add(readers, footprint.reads(), each);
        add(writers, footprint.writes(), each);
        add(named, footprint.objects(), each);
        add(users, each.uses, each);
        return true;
    }

    private static void add(Map<Long, NavigableSet<Pending>> index, long[] under, Pending each) {
        for (long name : under) {
            index.computeIfAbsent(name, unknown -> new TreeSet<>()).add(each);
        }
    }

    /** Removes an operation. Returns whether it was there. */
    boolean remove(Pending each) {
        if (!all.remove(each)) {
            return false;
        }
        everything.remove(each);
        structural.remove(each);
        remove(readers, each.footprint.reads(), each);
        remove(writers, each.footprint.writes(), each);
        remove(named, each.footprint.objects(), each);
        remove(users, each.uses, each);
        return true;
    }

    private static void remove(Map<Long, NavigableSet<Pending>> index, long[] under, Pending each) {
        for (long name : under) {
            index.computeIfPresent(name, (known, found) -> found.remove(each) && found.isEmpty() ? null : found);
        }
    }

    /**
     * Returns those that meet an operation. The present state shows to which objects the keys of an operation belong: if the
     * operation's groups are enough for these objects, any earlier operation that would change this is known here and meets it
     * as well.
     *
     * @param uses the objects that its keys are in at present
     */
    private List<NavigableSet<Pending>> meeting(Footprint footprint, long[] uses) {
        if (footprint.everything()) {
            return List.of(all);
        }
        List<NavigableSet<Pending>> found = new ArrayList<>();
        found.add(everything);
        find(writers, footprint.writes(), found);
        find(readers, footprint.writes(), found);
        find(writers, footprint.reads(), found);
        find(named, footprint.objects(), found);
        find(named, uses, found);
        find(users, footprint.objects(), found);
        return found;
    }

    private static void find(Map<Long, NavigableSet<Pending>> index, long[] names, List<NavigableSet<Pending>> found) {
        for (long name : names) {
            NavigableSet<Pending> known = index.get(name);
            if (known != null) {
                found.add(known);
            }
        }
    }

    /** Returns one that meets an operation with this footprint; null if there is none. */
    @Nullable
    Pending any(Footprint footprint, long[] uses) {
        return any(footprint, uses, each -> true);
    }

    /** Returns the last one of a kind that meets it so. */
    @Nullable
    Pending any(Footprint footprint, long[] uses, Predicate<Pending> kind) {
        if (all.isEmpty()) {
            return null;
        }
        for (NavigableSet<Pending> each : meeting(footprint, uses)) {
            for (Pending one : each.descendingSet()) {
                if (kind.test(one)) {
                    return one;
                }
            }
        }
        return null;
    }

    /** Returns an earlier one that an operation waits for; null if there is none. */
    @Nullable
    Pending before(Pending later, Rules rules) {
        for (NavigableSet<Pending> each : meeting(later.footprint, later.uses)) {
            Pending found = before(later, each, rules);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Returns an earlier one that changes objects as such. */
    @Nullable
    Pending structuralBefore(Pending later, Rules rules) {
        return before(later, structural, rules);
    }

    /**
     * Returns the last of these. Operations that wait for each other form a chain, and each is looked at when the one before it
     * is gone.
     */
    private static @Nullable Pending before(Pending later, NavigableSet<Pending> of, Rules rules) {
        Pending found = of.lower(later);
        while (found != null && !rules.waits(later, found)) {
            found = of.lower(found);
        }
        return found;
    }

    /** Returns those whose keys are in an object. */
    List<Pending> users(long object) {
        NavigableSet<Pending> found = users.get(object);
        return found == null ? List.of() : List.copyOf(found);
    }
}
