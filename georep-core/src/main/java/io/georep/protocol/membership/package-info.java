/** Who is there: greeting, gossip, failure detection, leaving and returning (paper, sections II-A and II-B). */
@NullMarked
package io.georep.protocol.membership;

import org.jspecify.annotations.NullMarked;
