package io.georep.spring.connect;

import io.georep.model.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** The partition number of a task: no two tasks of a node have the same, and hardly two of different nodes. */
final class Partitions {
    /** The most tasks of a connector on a node. */
    static final int TASKS_MAX = 128;

    private static final int TASK_BITS = 7;
    private static final int NODE_MASK = 0xff_ffff;

    private Partitions() {}

    /** Returns a number with 24 bits of the node's name and 7 bits for the task. */
    static int of(NodeId node, int task) {
        CRC32 digest = new CRC32();
        digest.update(node.value().getBytes(StandardCharsets.UTF_8));
        return (int) (digest.getValue() & NODE_MASK) << TASK_BITS | task;
    }
}
