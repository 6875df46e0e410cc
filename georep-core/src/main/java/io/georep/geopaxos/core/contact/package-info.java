/**
 * What a node does for those who ask it: it has operations ordered by their groups, reads under a lease, has results forgotten and
 * objects moved.
 */
@NullMarked
package io.georep.geopaxos.core.contact;

import org.jspecify.annotations.NullMarked;
