package io.georep.keys.core;

import io.georep.model.NodeId;

/**
 * Which of two values of a key is the later one: that of the greater epoch, then of the greater node, then of the later
 * boot. No two writes have the same version, whatever happened to the store of a node: each boot draws a number.
 *
 * @param epoch above every epoch the writer had seen anywhere
 * @param node who wrote
 * @param boot number of the boot of that node
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
