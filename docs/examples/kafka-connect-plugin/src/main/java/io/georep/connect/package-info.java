/** GeoRep inside the workers of Kafka Connect: each task is a node. */
@NullMarked
package io.georep.connect;

import org.jspecify.annotations.NullMarked;
