/** The settings of links, and the kinds of sockets that they use. */
@NullMarked
package io.georep.netty.internal.sockets;

import org.jspecify.annotations.NullMarked;
