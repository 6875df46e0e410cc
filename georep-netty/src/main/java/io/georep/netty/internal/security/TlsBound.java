package io.georep.netty.internal.security;

import io.georep.netty.internal.wire.DistrustException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;

/**
 * Stands before the TLS handler of an incoming connection until its handshake is done. While the handshake waits for its turn
 * to be computed, the TLS handler keeps all that arrives, without a bound. So this ends the connection if more arrives than a
 * handshake needs.
 */
final class TlsBound extends ChannelInboundHandlerAdapter {
    /** A chain of certificates takes some kilobytes, and Java's own TLS takes none above 32 KiB. */
    static final int BYTES_MAX = 64 << 10;

    private final SslHandler tls;
    private int bytes;

    TlsBound(SslHandler tls) {
        this.tls = tls;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (tls.handshakeFuture().isSuccess()) {
            context.fireChannelRead(message);
            context.pipeline().remove(this);
            return;
        }
        boolean before = bytes <= BYTES_MAX;
        bytes = (int) Math.min(Integer.MAX_VALUE, (long) bytes + ((ByteBuf) message).readableBytes());
        if (bytes <= BYTES_MAX) {
            context.fireChannelRead(message);
            return;
        }
        ReferenceCountUtil.release(message);
        if (before) {
            context.fireExceptionCaught(new DistrustException(
                    "it sent more than " + BYTES_MAX + " bytes before it had proved who it is: this is no node"));
        }
    }
}
