package io.georep;

/**
 * Which cluster a node belongs to. A cluster draws its id once and keeps it, so that another one with the same name is not
 * taken for a part of it.
 *
 * @param id 16 hexadecimal digits; while it is not settled the node takes that of whomever it meets
 * @param settled whether the node keeps to this cluster, whatever it meets
 * @param waitsFor what is missing before it is settled, empty when it is
 */
public record ClusterStatus(String id, boolean settled, String waitsFor) {}
