package io.georep.netty.internal;

import io.georep.netty.internal.security.ChannelSecurity;
import io.georep.netty.internal.security.LinkSecret;
import io.georep.netty.internal.security.RecordHandler;
import io.georep.netty.internal.security.SecretHandshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One end of a connection that a secret protects, without a network: what it lets through, and why it fails. */
public final class SecretEnd {
    public static final byte[] OLD = "the old secret, long enough".getBytes(StandardCharsets.US_ASCII);
    public static final byte[] NEW = "the new secret, long enough".getBytes(StandardCharsets.US_ASCII);

    /** Nonces of the golden bytes. */
    public static final byte[] DIALER_NONCE = Samples.range(0x00, 0x1f);

    public static final byte[] ACCEPTOR_NONCE = Samples.range(0x80, 0x9f);

    private final ByteArrayOutputStream let = new ByteArrayOutputStream();
    private final List<String> reasons = new ArrayList<>();
    private final EmbeddedChannel channel;

    public SecretEnd(ChannelSecurity.Side side, byte[] nonce, byte[]... secrets) {
        List<LinkSecret> known = Arrays.stream(secrets).map(LinkSecret::new).toList();
        channel = new EmbeddedChannel(new SecretHandshake(side, known, nonce), new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ByteBuf bytes = (ByteBuf) message;
                let.writeBytes(ByteBufUtil.getBytes(bytes));
                bytes.release();
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                reasons.add(cause.getMessage());
            }
        });
    }

    public static SecretEnd dialer(byte[]... secrets) {
        return new SecretEnd(ChannelSecurity.Side.DIALER, DIALER_NONCE, secrets);
    }

    public static SecretEnd acceptor(byte[]... secrets) {
        return new SecretEnd(ChannelSecurity.Side.ACCEPTOR, ACCEPTOR_NONCE, secrets);
    }

    /** A dialer and an acceptor of one secret that have proved it to each other. */
    public static SecretEnd[] linked() {
        SecretEnd dialer = dialer(OLD);
        SecretEnd acceptor = acceptor(OLD);
        connect(dialer, acceptor);
        return new SecretEnd[] {dialer, acceptor};
    }

    /** Carries bytes both ways until nobody has any more to say. */
    public static void connect(SecretEnd one, SecretEnd other) {
        while (true) {
            byte[] there = one.said();
            byte[] back = other.said();
            if (there.length + back.length == 0) {
                return;
            }
            other.hear(there);
            one.hear(back);
        }
    }

    public EmbeddedChannel channel() {
        return channel;
    }

    /** What it sent since the last call. */
    public byte[] said() {
        return Samples.written(channel);
    }

    public void hear(byte[] bytes) {
        if (bytes.length > 0 && channel.isOpen()) {
            channel.writeInbound(Unpooled.copiedBuffer(bytes));
        }
    }

    public void write(byte[] bytes) {
        channel.writeOutbound(Unpooled.copiedBuffer(bytes));
    }

    public void write(String text) {
        write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** What came through to the handlers behind. */
    public byte[] let() {
        return let.toByteArray();
    }

    public String text() {
        return let.toString(StandardCharsets.US_ASCII);
    }

    public List<String> reasons() {
        return reasons;
    }

    public boolean isOpen() {
        return channel.isOpen();
    }

    public boolean isProved() {
        return channel.pipeline().get(RecordHandler.class) != null;
    }

    public void end() {
        channel.finishAndReleaseAll();
    }
}
