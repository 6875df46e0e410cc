/**
 * Which serializers an object should have, from who reads and writes it: the cost model of GeoPaxos+ in exact integers. A set of
 * sites is an {@code int} with a bit for each site. Whoever proposes a move decides by it; nobody computes the decision again.
 */
@NullMarked
package io.georep.geopaxos.core.placement;

import org.jspecify.annotations.NullMarked;
