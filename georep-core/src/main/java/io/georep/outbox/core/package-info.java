/** The GeoRep protocol: replication, forwarding, adoption and removal of entries (paper, section II). */
@NullMarked
package io.georep.outbox.core;

import org.jspecify.annotations.NullMarked;
