/**
 * The transport between nodes on Netty. Its promise is best effort: frames of one connection arrive in order, a
 * broken connection may lose some, and the protocol alone owns reliability.
 */
@NullMarked
package io.georep.netty;

import org.jspecify.annotations.NullMarked;
