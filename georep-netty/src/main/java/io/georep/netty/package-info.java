/**
 * The links between nodes, on Netty. Give {@link io.georep.netty.NettyTransportFactory} to the builder of a node;
 * {@link io.georep.netty.SharedSecret} or {@link io.georep.netty.MutualTls} keeps strangers off. Its promise is best
 * effort: frames of one connection arrive in order, a broken connection may lose some, and the protocol alone owns
 * reliability.
 */
@NullMarked
package io.georep.netty;

import org.jspecify.annotations.NullMarked;
