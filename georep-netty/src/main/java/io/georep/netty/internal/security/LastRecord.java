package io.georep.netty.internal.security;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

/**
 * Stands before a TLS handler that uses OpenSSL, and makes it report a bad last record. On a bad record, OpenSSL
 * writes an alert for the other side, but Netty reports the error on this side only when more bytes come. None come,
 * because the other side closes the connection at the alert. So if something was written while the last bytes were
 * read, this handler adds one byte at the end of the connection. For a good connection that byte has no effect.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write that fails ends the channel, which is noticed anyway.
final class LastRecord extends ChannelDuplexHandler {
    private boolean reading;
    private boolean wroteMeanwhile;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        wroteMeanwhile = false;
        reading = true;
        try {
            context.fireChannelRead(message);
        } finally {
            reading = false;
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        wroteMeanwhile |= reading;
        context.write(message, promise);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        oneMore(context);
        context.fireChannelInactive();
    }

    /** A reset ends the connection as well, and the handlers behind this one close it at once. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        oneMore(context);
        context.fireExceptionCaught(cause);
    }

    private void oneMore(ChannelHandlerContext context) {
        if (wroteMeanwhile) {
            wroteMeanwhile = false;
            context.fireChannelRead(context.alloc().buffer(1).writeByte(0));
        }
    }
}
