package io.georep.keys.core;

import io.georep.model.NodeId;

/**
 * The version of a value. Of two values of a key, the one with the greater version is the later one: with the greater
 * epoch; of equal epochs, that of the node with the greater name; then that of the later boot. No two writes have the
 * same version, whatever happens to the store of a node, because each boot draws a number.
 *
 * @param epoch a number that is higher than every epoch the writer had seen
 * @param node the node that wrote
 * @param boot the number of that node's boot
 */
record KeyVersion(long epoch, NodeId node, long boot) implements Comparable<KeyVersion> {
    @Override
    public int compareTo(KeyVersion other) {
        int byEpoch = Long.compare(epoch, other.epoch);
        if (byEpoch != 0) {
            return byEpoch;
        }
        int byNode = node.compareTo(other.node);
        return byNode != 0 ? byNode : Long.compare(boot, other.boot);
    }

    boolean isAfter(KeyVersion other) {
        return compareTo(other) > 0;
    }
}
