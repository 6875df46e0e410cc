package io.georep.geopaxos.core.execution;

/**
 * What an operation may use, known before it is executed and the same in every state. Of two operations that are ordered by a common
 * group and whose footprints meet, every node executes the same one first; others do not wait for each other. So a group that is down
 * holds up only what meets an operation that names it.
 *
 * <p>Three kinds. <i>Keys</i>: hashes of all keys that are read and of all that are written; the operation uses the objects of these keys
 * and no others, and two operations meet if one writes a key of the other. (Equal hashes of different keys only cost time.) <i>Objects</i>:
 * numbers of objects that are changed as such, to split or to join them, and of those that are made that way; it meets operations with keys
 * in these objects and others with these objects. <i>Everything</i>: what is used shows only while it is executed; it meets every operation.
 *
 * <p>An operation with keys never changes which keys belong to an object: that is what operations with objects are for.
 *
 * @param everything whether it is of the last kind
 * @param reads hashes of keys
 * @param writes hashes of keys
 * @param objects numbers of objects
 */
public record Footprint(boolean everything, long[] reads, long[] writes, long[] objects) {
    private static final long[] NONE = {};

    /** May use anything. */
    public static final Footprint EVERYTHING = new Footprint(true, NONE, NONE, NONE);

    /** Uses the objects of these keys, which are hashed to 64 bits. */
    public static Footprint keys(long[] reads, long[] writes) {
        return new Footprint(false, reads, writes, NONE);
    }

    /** Changes these objects as such. */
    public static Footprint objects(long... objects) {
        return new Footprint(false, NONE, NONE, objects);
    }

    /** Returns how many keys and objects it names. */
    public int size() {
        return reads.length + writes.length + objects.length;
    }

    public boolean hasObjects() {
        return objects.length > 0;
    }

    /** Returns whether both have keys, and one writes a key of the other; or both have objects, and one of them is the same. */
    public boolean meets(Footprint other) {
        return everything
                || other.everything
                || meet(writes, other.writes)
                || meet(writes, other.reads)
                || meet(reads, other.writes)
                || meet(objects, other.objects);
    }

    private static boolean meet(long[] some, long[] others) {
        for (long one : some) {
            for (long other : others) {
                if (one == other) {
                    return true;
                }
            }
        }
        return false;
    }
}
