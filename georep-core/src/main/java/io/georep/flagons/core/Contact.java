package io.georep.flagons.core;

/**
 * A node of the fleet as others know it.
 *
 * @param id of this life of the node, chosen at random when it starts
 * @param position of its keys; the same throughout a life
 * @param depth of its group; see {@link Range}
 */
public record Contact(long id, String address, long position, int depth) {
    /** Returns the same node with another group. */
    Contact at(int newDepth) {
        return newDepth == depth ? this : new Contact(id, address, position, newDepth);
    }
}
