package io.georep.bench.network;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One connection through the network: from the node that dialled, which its first message names, to the node whose
 * address it dialled. Used on the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
final class Crossing extends ChannelInboundHandlerAdapter {
    /** The directions there and back between the node that dialled and the one that it dialled. */
    record Directions(Direction there, Direction back) {}

    /** Magic, kind, length, and the versions: what comes before the cluster's name in HELLO, see docs/how-it-works/wire-format.md. */
    private static final int BEFORE_CLUSTER = 4 + 1 + 2 + 1 + 1;

    private static final int HELLO_BYTES_MAX = 1024;
    private static final byte[] MAGIC = "GEOR".getBytes(StandardCharsets.US_ASCII);

    private final InetSocketAddress target;
    private final Function<String, @Nullable Directions> directionsOf;
    private final Pipe there;
    private final Channel dialer;
    private final Random random;
    private final ByteBuf hello = Unpooled.buffer();
    private @Nullable Pipe back;
    private @Nullable Directions directions;

    /**
     * Begins a crossing.
     *
     * @param dialer the connection that was accepted
     * @param target where the node that was dialled listens
     * @param directionsOf finds the directions by the name of the node that dialled; null for strangers
     */
    Crossing(
            Channel dialer,
            InetSocketAddress target,
            Function<String, @Nullable Directions> directionsOf,
            Random random) {
        this.dialer = dialer;
        this.target = target;
        this.directionsOf = directionsOf;
        this.random = random;
        this.there = new Pipe(dialer, random);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (directions == null) {
            hello.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        }
        there.take(bytes);
        if (directions == null) {
            recognize();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (directions == null) {
            hello.release();
            there.discard();
        } else {
            there.end();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (back != null) {
            back.pump();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close(); // Reset by the peer: the end, like any other.
    }

    private void recognize() {
        String name = dialerIn(hello);
        if (name != null) {
            Directions found = directionsOf.apply(name);
            if (found == null) {
                there.discard();
                return;
            }
            hello.release();
            directions = found;
            connect(found);
        } else if (hello.readableBytes() > HELLO_BYTES_MAX) {
            there.discard();
        }
    }

    private void connect(Directions known) {
        there.on(known.there());
        Bootstrap bootstrap = new Bootstrap()
                .group(dialer.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new Acceptor());
        bootstrap.connect(target).addListener((ChannelFutureListener) future -> {
            if (future.isSuccess()) {
                there.to(future.channel());
            } else {
                there.discard();
            }
        });
    }

    /** The name of the node that said so far at least the beginning of a HELLO; null when too little has come. */
    static @Nullable String dialerIn(ByteBuf hello) {
        int at = hello.readerIndex();
        int end = hello.writerIndex();
        for (int i = 0; i < Math.min(MAGIC.length, end - at); i++) {
            if (hello.getByte(at + i) != MAGIC[i]) {
                return "";
            }
        }
        int cluster = at + BEFORE_CLUSTER;
        if (end <= cluster) {
            return null;
        }
        int id = cluster + 1 + hello.getUnsignedByte(cluster);
        if (end <= id || end < id + 1 + hello.getUnsignedByte(id)) {
            return null;
        }
        return hello.toString(id + 1, hello.getUnsignedByte(id), StandardCharsets.US_ASCII);
    }

    /** The side of the node that was dialled. */
    private final class Acceptor extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            Pipe pipe = new Pipe(context.channel(), random);
            pipe.to(dialer);
            pipe.on(Objects.requireNonNull(directions).back());
            back = pipe;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            Objects.requireNonNull(back).take((ByteBuf) message);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (back != null) {
                back.end();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            there.pump();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
