package io.georep.netty.internal.wire;

import io.georep.codec.MalformedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns the first bytes of a connection into one {@link Handshake}. A stranger is recognised at the first byte that
 * differs from the magic, so it never gets to fill a buffer. Once removed, Netty hands what is left to the next handler.
 */
public final class HandshakeDecoder extends ByteToMessageDecoder {
    private boolean done;

    public HandshakeDecoder() {
        setSingleDecode(true);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (done) {
            in.skipBytes(in.readableBytes());
            return;
        }
        Handshake message = read(in);
        if (message != null) {
            done = true;
            out.add(message);
        }
    }

    private static @Nullable Handshake read(ByteBuf in) {
        int start = in.readerIndex();
        int magic = Math.min(HandshakeFormat.magicLength(), in.readableBytes());
        for (int i = 0; i < magic; i++) {
            if (in.getByte(start + i) != HandshakeFormat.magic(i)) {
                return garbage(in, stranger(in));
            }
        }
        if (in.readableBytes() < HandshakeFormat.HEAD_BYTES) {
            return null;
        }
        int body = in.getUnsignedShort(start + HandshakeFormat.HEAD_BYTES - Short.BYTES);
        int total = HandshakeFormat.HEAD_BYTES + body + HandshakeFormat.CHECKSUM_BYTES;
        if (total > HandshakeFormat.BYTES_MAX) {
            return garbage(in, "a handshake of " + total + " bytes, at most " + HandshakeFormat.BYTES_MAX);
        }
        if (in.readableBytes() < total) {
            return null;
        }
        byte[] bytes = new byte[total];
        in.readBytes(bytes);
        try {
            return HandshakeFormat.decode(bytes);
        } catch (MalformedException e) {
            return garbage(in, "a malformed handshake: " + e.getMessage());
        }
    }

    private static Handshake garbage(ByteBuf in, String reason) {
        in.skipBytes(in.readableBytes());
        return new Handshake.Garbage(reason);
    }

    /** Says what these first bytes of a connection look like, and what to do. */
    public static String stranger(ByteBuf in) {
        int length = Math.min(8, in.readableBytes());
        byte[] head = ByteBufUtil.getBytes(in, in.readerIndex(), length);
        String text = new String(head, StandardCharsets.US_ASCII);
        if (text.matches("(GET|PUT|POST|HEAD|PRI|OPTIONS|DELETE|HTTP).*")) {
            return "HTTP: this port speaks GeoRep only, point the HTTP client or probe at another port";
        }
        if (SecretPreamble.mayBegin(head, length)) {
            return "a challenge to prove a shared secret, but this node has none: set the same secret on both sides";
        }
        if (length >= 2 && head[0] == 0x16 && head[1] == 0x03) {
            return "a TLS handshake, which this side does not expect: use the same security settings on both sides";
        }
        return "bytes of another protocol (" + ByteBufUtil.hexDump(head)
                + "): if this is a GeoRep node, check the port; otherwise keep strangers off this one";
    }
}
