package io.georep;

/**
 * The cluster to which a node belongs. A cluster draws an id once and keeps it, so that another cluster with the same name is
 * not taken for a part of it.
 *
 * @param id id of the cluster, 16 hexadecimal digits. While it is not settled, the node takes over the id of nodes that it
 *     meets
 * @param settled whether the node keeps to this cluster, whatever it meets
 * @param waitsFor what is still missing before the cluster is settled; empty if it is settled
 */
public record ClusterStatus(String id, boolean settled, String waitsFor) {}
