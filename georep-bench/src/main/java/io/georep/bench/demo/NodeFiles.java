package io.georep.bench.demo;

import io.georep.bench.process.DirectoryTree;
import io.georep.bench.process.SmallDisk;
import io.georep.bench.process.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the nodes have on disk, and what can happen to it. Used by the demo's main thread. */
final class NodeFiles {
    /** Free space below which a node on a small disk calls it full. */
    static final long RESERVE_BYTES = 8 << 20;

    private static final long DISK_BYTES = 192 << 20;

    private final Workspace workspace;
    private final List<SmallDisk> disks = new ArrayList<>();

    /**
     * Makes room for the nodes' files.
     *
     * @param smallDisks whether each node gets a small disk of its own, so that it can be filled up
     * @throws IOException when that is not possible here
     */
    NodeFiles(Workspace workspace, List<String> names, boolean smallDisks) throws IOException {
        this.workspace = workspace;
        if (smallDisks) {
            for (String name : names) {
                disks.add(workspace.disk(name, DISK_BYTES));
            }
        }
    }

    /** Returns whether nodes are on small disks. */
    boolean onSmallDisks() {
        return !disks.isEmpty();
    }

    /** Data directory of a node. */
    Path data(NodeProcess node) {
        Path own = workspace.directory().resolve(node.name());
        return disks.isEmpty() ? own : own.resolve("data");
    }

    /** Bytes in the directory of a node, whether it runs or not. */
    long storedBytes(NodeProcess node) {
        return DirectoryTree.bytes(data(node));
    }

    /** Returns whether there is an image of the node's directory. */
    boolean hasImage(NodeProcess node) {
        return Files.exists(image(node));
    }

    /** Keeps an image of the directory of a node that does not run, in place of an earlier one. */
    void takeImage(NodeProcess node) throws IOException {
        DirectoryTree.replace(data(node), image(node));
    }

    /** Gives a node that does not run the directory as it was when the image was taken. */
    void putImageBack(NodeProcess node) throws IOException {
        DirectoryTree.replace(image(node), data(node));
    }

    /** Removes everything a node that does not run has stored. */
    void empty(NodeProcess node) throws IOException {
        DirectoryTree.empty(data(node));
    }

    /** Takes the space of a node's disk but so many bytes. */
    void fill(NodeProcess node, long leaveBytes) throws IOException {
        disks.get(node.index()).fill(leaveBytes);
    }

    /** Gives the space back. */
    void free(NodeProcess node) throws IOException {
        disks.get(node.index()).free();
    }

    private Path image(NodeProcess node) {
        return workspace.directory().resolve(node.name() + ".image");
    }
}
