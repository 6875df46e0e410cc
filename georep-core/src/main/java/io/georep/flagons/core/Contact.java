package io.georep.flagons.core;

/**
 * A node of the fleet as others know it.
 *
 * @param id of this life of the node, chosen at random when it starts; 0 if it is not known yet
 * @param position of its keys; the same throughout a life
 * @param depth of its group; see {@link Range}
 */
public record Contact(long id, String address, long position, int depth) {
    /** Returns the node at an address of which nothing else is known yet. */
    static Contact unmet(String address) {
        return at(0, address);
    }

    /** Returns somebody who is only answered. */
    static Contact at(long id, String address) {
        return new Contact(id, address, 0, 0);
    }

    boolean isMet() {
        return id != 0;
    }

    /** Returns the same node with another group. */
    Contact at(int newDepth) {
        return newDepth == depth ? this : new Contact(id, address, position, newDepth);
    }
}
