/**
 * Ordered maps: bytes to bytes, with the keys in unsigned lexicographic order.
 *
 * <h2>Why there is no tree</h2>
 *
 * <p>The paper has a B+Tree each of whose nodes is an object. Here the objects are leaves, each of which has the keys from its lower
 * bound up to that of the next one; an index from lower bounds to leaves takes the place of the inner nodes and is no object. An
 * operation on a key depends on the leaf of that key only (A7 of the notes), and which leaf that is changes with this leaf or its
 * neighbour alone. So
 *
 * <ul>
 *   <li>divisions of different leaves commute; in a tree they meet in the parent, and an insert that divides needs the serializers of
 *       all nodes up to one that has room, often of the root (A8);
 *   <li>there are no links between leaves to keep (A11), and no counts on inner nodes that differ between replicas (M13);
 *   <li>dividing and joining are operations of their own, ordered with the serializers of the leaves that they name (M15). Reads and
 *       writes change no structure, so that writes of different keys of one leaf commute as well; a leaf may be larger than it should
 *       be until its division is executed.
 * </ul>
 *
 * <p>A leaf gets its number from the one that it was split from, by a hash of that one's number and of how often it was split. Numbers
 * are never used again. A lower bound would not do as a name: it returns when two leaves are joined and divided again, and an operation
 * that named the former leaf would find the latter.
 *
 * <p>An entry with a time to live stays until an operation with a time in it removes it (M18); no reader looks at a clock. Times are those
 * of a {@link io.georep.geopaxos.core.map.MapClock} that is part of the state, so no clock of a machine decides.
 */
@NullMarked
package io.georep.geopaxos.core.map;

import org.jspecify.annotations.NullMarked;
