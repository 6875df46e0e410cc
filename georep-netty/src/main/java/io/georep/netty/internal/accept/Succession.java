package io.georep.netty.internal.accept;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseCombiner;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Keeps the frames of two connections of one boot apart. The first bytes of a connection close all other connections
 * of that boot, and are held back until those are closed. A dialer uses one connection at a time, so what the others
 * still bring was sent earlier, on a link that the dialer has given up. Leaves the pipeline after the first bytes.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A close that fails ends the channel, which is noticed anyway.
final class Succession extends ChannelInboundHandlerAdapter {
    private final Admission admission;
    private final ArrayDeque<Object> held = new ArrayDeque<>();
    private boolean asked;

    Succession(Admission admission) {
        this.admission = admission;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        held.add(message);
        if (asked) {
            return;
        }
        asked = true;
        List<Channel> others = admission.succeed(context.channel());
        if (others == null) {
            context.close();
        } else if (others.isEmpty()) {
            goOn(context);
        } else {
            Promise<Void> closed = context.executor().newPromise();
            closed.addListener(done -> goOn(context));
            PromiseCombiner allClosed = new PromiseCombiner(context.executor());
            for (Channel other : others) {
                allClosed.add(other.close());
            }
            allClosed.finish(closed);
        }
    }

    private void goOn(ChannelHandlerContext context) {
        if (!context.isRemoved()) {
            for (Object message = held.poll(); message != null; message = held.poll()) {
                context.fireChannelRead(message);
            }
            context.pipeline().remove(this);
            admission.succeeded(context.channel());
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        for (Object message = held.poll(); message != null; message = held.poll()) {
            ReferenceCountUtil.release(message);
        }
    }
}
