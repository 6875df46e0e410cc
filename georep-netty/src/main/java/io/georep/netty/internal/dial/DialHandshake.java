package io.georep.netty.internal.dial;

import io.georep.model.NodeId;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.wire.DistrustException;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Dialling side of the handshake: says HELLO and reports exactly one outcome. */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
final class DialHandshake extends SimpleChannelInboundHandler<Handshake> {
    /** Told on the connection's event loop. */
    interface Outcome {
        void accepted(Channel channel, Handshake.Accept accept);

        void refused(RefusalCode code, String reason);

        /** One side has not proved to the other who it is. */
        void distrusted(String reason);

        void failed(String reason);
    }

    private final Handshake.Hello hello;
    private final ChannelSecurity security;
    private final int timeoutMillis;
    private final Outcome outcome;
    private @Nullable ScheduledFuture<?> timeout;
    private boolean settled;

    DialHandshake(Handshake.Hello hello, ChannelSecurity security, int timeoutMillis, Outcome outcome) {
        this.hello = hello;
        this.security = security;
        this.timeoutMillis = timeoutMillis;
        this.outcome = outcome;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        String objection =
                security.objection(context.channel(), hello.expected().isEmpty() ? null : NodeId.of(hello.expected()));
        if (objection != null) {
            distrust(context, objection);
            return;
        }
        context.writeAndFlush(Unpooled.wrappedBuffer(HandshakeFormat.encode(hello)));
        timeout = context.executor()
                .schedule(
                        () -> fail(context, "no answer to the handshake within " + timeoutMillis + " ms"),
                        timeoutMillis,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(context, "the connection was closed during the handshake; the other side's log may tell why");
        context.fireChannelInactive();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Handshake message) {
        if (message instanceof Handshake.Accept accept) {
            if (accept.version() < hello.versionMin() || accept.version() > hello.versionMax()) {
                fail(context, "it chose wire version " + accept.version() + ", which was not offered");
            } else {
                accepted(context, accept);
            }
        } else if (message instanceof Handshake.Refuse refuse) {
            if (settle()) {
                outcome.refused(refuse.code(), refuse.reason());
            }
            context.close();
        } else if (message instanceof Handshake.Garbage garbage) {
            fail(context, "it answered " + garbage.reason());
        } else {
            fail(context, "it answered the handshake with a handshake of its own");
        }
    }

    private void accepted(ChannelHandlerContext context, Handshake.Accept accept) {
        String objection =
                security.objection(context.channel(), accept.identity().id());
        if (objection != null) {
            distrust(context, objection);
        } else if (settle()) {
            outcome.accepted(context.channel(), accept);
        }
    }

    private void distrust(ChannelHandlerContext context, String reason) {
        if (settle()) {
            outcome.distrusted(reason);
        }
        context.close();
    }

    private void fail(ChannelHandlerContext context, String reason) {
        if (settle()) {
            outcome.failed(reason);
        }
        context.close();
    }

    private boolean settle() {
        ScheduledFuture<?> pending = timeout;
        if (pending != null) {
            pending.cancel(false);
        }
        boolean first = !settled;
        settled = true;
        return first;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof DistrustException) {
            distrust(context, String.valueOf(cause.getMessage()));
        } else {
            fail(context, "the connection broke during the handshake: " + cause.getMessage());
        }
    }
}
