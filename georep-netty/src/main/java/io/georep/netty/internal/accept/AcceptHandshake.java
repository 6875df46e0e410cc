package io.georep.netty.internal.accept;

import io.georep.logging.LimitedLog;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.sockets.LinkCounters;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.wire.ChunkFormat;
import io.georep.netty.internal.wire.DistrustException;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeDecoder;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.georep.spi.Transport;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accepting side of the handshake. It answers once; then a {@link ChunkDecoder} takes over, or the connection
 * closes.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
public final class AcceptHandshake extends SimpleChannelInboundHandler<Handshake> {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptHandshake.class);

    /** What all incoming connections share. Strangers and peers have a log each, so that neither hides the other. */
    public record Surroundings(
            LinkSettings settings,
            ChannelSecurity security,
            Admission admission,
            Transport.Listener listener,
            LinkCounters counters,
            LimitedLog strangers,
            LimitedLog peers,
            Newcomers newcomers,
            ReassemblyRoom room,
            Consumer<NodeId> arrived) {}

    private final Surroundings around;
    private @Nullable ScheduledFuture<?> timeout;
    private boolean answered;

    public AcceptHandshake(Surroundings around) {
        this.around = around;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        Channel displaced = around.newcomers().enter(context.channel());
        if (displaced != null) {
            turnOut(displaced, "too many others have connected since and not said who they are, either");
            displaced.close();
        }
        int millis = around.settings().handshakeTimeoutMillis();
        timeout = context.executor()
                .schedule(
                        () -> strike(context, "no handshake within " + millis + " ms: is this a GeoRep node?"),
                        millis,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        settle(context);
        if (!answered) {
            LOG.debug("{} closed before the handshake", context.channel().remoteAddress());
        }
        context.fireChannelInactive();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Handshake message) {
        if (answered) {
            return;
        }
        if (message instanceof Handshake.Hello hello) {
            settle(context);
            answered = true;
            Handshake answer = answer(context, hello);
            if (answer instanceof Handshake.Refuse refuse) {
                refuse(context, hello.identity(), refuse);
            } else {
                accept(context, hello, answer);
            }
        } else if (message instanceof Handshake.Garbage garbage) {
            strike(context, "it sent " + garbage.reason());
        } else {
            strike(context, "it answered before it was asked");
        }
    }

    private Handshake answer(ChannelHandlerContext context, Handshake.Hello hello) {
        String objection =
                around.security().objection(context.channel(), hello.identity().id());
        return objection == null
                ? around.admission().answer(hello, context.channel())
                : new Handshake.Refuse(RefusalCode.DISTRUSTED, objection);
    }

    private void accept(ChannelHandlerContext context, Handshake.Hello hello, Handshake answer) {
        NodeIdentity peer = hello.identity().withLimited(around.security().limits(context.channel()));
        boolean chosen = hello.chosenBy() != 0;
        LinkCounters counters = around.counters();
        counters.linksIn.increment();
        context.channel().closeFuture().addListener(closed -> {
            counters.linksIn.decrement();
            around.admission().left(context.channel());
        });
        context.writeAndFlush(Unpooled.wrappedBuffer(HandshakeFormat.encode(answer)));
        // The next handler must stand before the decoder goes, because it gets what the decoder has left.
        if (!chosen) {
            context.pipeline().addLast(new Succession(around.admission()));
        }
        context.pipeline()
                .addLast(new ChunkDecoder(
                        peer,
                        chosen ? ChunkFormat.BODY_MAX : around.settings().frameBytesMax(),
                        chosen ? new StrangersFrames(around.listener(), hello.chosenBy()) : around.listener(),
                        counters,
                        around.peers(),
                        around.admission(),
                        around.room()));
        context.pipeline().remove(HandshakeDecoder.class);
        context.pipeline().remove(this);
        LOG.debug("link from {} at {}", peer, context.channel().remoteAddress());
        if (!chosen) {
            around.arrived().accept(peer.id());
        }
    }

    private void refuse(ChannelHandlerContext context, NodeIdentity peer, Handshake.Refuse refuse) {
        around.counters().refusalsSent.increment();
        if (refuse.code() == RefusalCode.DISTRUSTED) {
            around.counters().distrusted.increment();
        }
        if (refuse.code() != RefusalCode.SELF) {
            (refuse.code() == RefusalCode.DISTRUSTED ? around.strangers() : around.peers())
                    .warn("refused a link from " + peer.id() + " at "
                            + context.channel().remoteAddress() + ": " + refuse.reason());
        }
        context.writeAndFlush(Unpooled.wrappedBuffer(HandshakeFormat.encode(refuse)))
                .addListener(ChannelFutureListener.CLOSE);
    }

    /** Closes a connection that speaks another protocol, without an answer that it would not understand. */
    private void strike(ChannelHandlerContext context, String reason) {
        settle(context);
        if (!answered) {
            answered = true;
            turnOut(context.channel(), reason);
        }
        context.close();
    }

    private void turnOut(Channel stranger, String reason) {
        around.counters().refusalsSent.increment();
        around.strangers().warn("closed the connection from " + stranger.remoteAddress() + ": " + reason);
    }

    private void settle(ChannelHandlerContext context) {
        around.newcomers().leave(context.channel());
        ScheduledFuture<?> pending = timeout;
        if (pending != null) {
            pending.cancel(false);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof DistrustException && !answered) {
            around.counters().distrusted.increment();
            strike(context, String.valueOf(cause.getMessage()));
        } else {
            LOG.debug("{} broke off the handshake", context.channel().remoteAddress(), cause);
            context.close();
        }
    }
}
