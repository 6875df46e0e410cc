/** A network between processes of this machine that is slow, and broken on demand. */
@NullMarked
package io.georep.bench.network;

import org.jspecify.annotations.NullMarked;
