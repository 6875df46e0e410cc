/** The bytes of a connection: handshakes, and the chunks that come after them. */
@NullMarked
package io.georep.netty.internal.wire;

import org.jspecify.annotations.NullMarked;
