package io.georep.netty.internal.security;

import io.georep.netty.internal.security.ChannelSecurity.Side;
import io.georep.netty.internal.wire.DistrustException;
import io.georep.netty.internal.wire.Handshake;
import io.georep.netty.internal.wire.HandshakeDecoder;
import io.georep.netty.internal.wire.HandshakeFormat;
import io.georep.netty.internal.wire.RefusalCode;
import io.georep.netty.internal.wire.SecretPreamble;
import io.georep.netty.internal.wire.SecretPreamble.Kind;
import io.georep.netty.internal.wire.SecretPreamble.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.PendingWriteQueue;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stands first in the pipeline until both sides have proved that they know the secret; then a {@link RecordHandler}
 * takes its place. Meanwhile, what the handlers behind it write waits here, and they get nothing but the reason for a
 * failure, as a {@link DistrustException}. They also bound the time, which runs from the beginning of the connection.
 *
 * <p>The dialer proves first. So a stranger that only reaches the port learns a nonce, and nothing that depends on a secret.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
public final class SecretHandshake extends ChannelDuplexHandler {
    private final Side side;
    private final List<LinkSecret> secrets;
    private final byte[] ownNonce;
    private final byte[] message = new byte[SecretPreamble.BYTES];
    private int filled;
    private Kind expected;
    private byte @Nullable [] peerNonce;
    private boolean over;
    private @Nullable PendingWriteQueue waiting;

    /**
     * Creates the guard of a new connection.
     *
     * @param secrets those that count; a dialer proves that it knows the first
     * @param ownNonce random bytes, never used before
     */
    public SecretHandshake(Side side, List<LinkSecret> secrets, byte[] ownNonce) {
        this.side = side;
        this.secrets = secrets;
        this.ownNonce = ownNonce;
        expected = side == Side.DIALER ? Kind.ANSWER : Kind.CHALLENGE;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        waiting = new PendingWriteQueue(context);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (side == Side.DIALER) {
            context.writeAndFlush(SecretPreamble.encode(Kind.CHALLENGE, ownNonce));
        }
        context.fireChannelActive();
    }

    @Override
    public void write(ChannelHandlerContext context, Object bytes, ChannelPromise promise) {
        PendingWriteQueue queue = waiting;
        if (queue == null) {
            context.write(bytes, promise);
        } else {
            queue.add(bytes, promise);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        ByteBuf in = (ByteBuf) bytes;
        try {
            while (!over && in.isReadable()) {
                read(context, in);
            }
        } catch (DistrustException e) {
            fail(context, e);
        } finally {
            in.release();
        }
    }

    private void read(ChannelHandlerContext context, ByteBuf in) {
        int count = Math.min(in.readableBytes(), SecretPreamble.BYTES - filled);
        in.readBytes(message, filled, count);
        filled += count;
        if (!SecretPreamble.mayBegin(message, filled)) {
            stranger(context);
        }
        if (filled < SecretPreamble.BYTES) {
            return;
        }
        filled = 0;
        checkVersion(context);
        Kind kind = SecretPreamble.kind(message);
        if (kind == Kind.REFUSE && side == Side.DIALER) {
            throw refused();
        }
        if (kind != expected) {
            throw new DistrustException("it broke the rules of the proof of the shared secret: " + expected
                    + " was due, and it sent " + (kind == null ? "something else" : kind));
        }
        byte[] body = SecretPreamble.body(message);
        switch (expected) {
            case CHALLENGE -> challenged(context, body);
            case ANSWER -> answered(context, body);
            case PROOF -> proved(context, body, in);
            default -> welcomed(context, body, in);
        }
    }

    /** The acceptor has a nonce of the dialer. */
    private void challenged(ChannelHandlerContext context, byte[] nonce) {
        peerNonce = nonce;
        expected = Kind.PROOF;
        context.writeAndFlush(SecretPreamble.encode(Kind.ANSWER, ownNonce));
    }

    /** The dialer has a nonce of the acceptor. */
    private void answered(ChannelHandlerContext context, byte[] nonce) {
        if (Arrays.equals(nonce, ownNonce)) {
            throw new DistrustException("it sent this node's own nonce back: this is no node of the cluster");
        }
        peerNonce = nonce;
        expected = Kind.WELCOME;
        context.writeAndFlush(SecretPreamble.encode(Kind.PROOF, proof(secrets.get(0), Side.DIALER)));
    }

    /** The acceptor looks whether the dialer knows a secret that counts, and proves that it knows the same. */
    private void proved(ChannelHandlerContext context, byte[] proof, ByteBuf rest) {
        for (LinkSecret secret : secrets) {
            if (isProof(proof, secret, Side.DIALER)) {
                context.writeAndFlush(SecretPreamble.encode(Kind.WELCOME, proof(secret, Side.ACCEPTOR)));
                succeed(context, secret, rest);
                return;
            }
        }
        refuse(context, Refusal.SECRET);
        throw new DistrustException("it does not know this node's shared secret; if it is a node of this cluster, give"
                + " both the same secret");
    }

    /** The dialer looks whether the acceptor knows the secret, too. */
    private void welcomed(ChannelHandlerContext context, byte[] proof, ByteBuf rest) {
        LinkSecret secret = secrets.get(0);
        if (!isProof(proof, secret, Side.ACCEPTOR)) {
            throw new DistrustException(
                    "it did not prove that it knows the shared secret: this is no node of the cluster, or somebody stands"
                            + " between");
        }
        succeed(context, secret, rest);
    }

    private void succeed(ChannelHandlerContext context, LinkSecret secret, ByteBuf rest) {
        over = true;
        RecordHandler records = new RecordHandler(
                RecordCipher.sealing(secret.key(side, dialerNonce(), acceptorNonce())),
                RecordCipher.opening(secret.key(side.other(), dialerNonce(), acceptorNonce())));
        context.pipeline().addBefore(context.name(), null, records);
        ChannelHandlerContext next = context.pipeline().context(records);
        release(queue -> queue.removeAndWriteAll());
        context.flush();
        context.pipeline().remove(this);
        records.channelRead(next, rest.readRetainedSlice(rest.readableBytes()));
    }

    private byte[] proof(LinkSecret secret, Side prover) {
        return secret.proof(prover, dialerNonce(), acceptorNonce());
    }

    private boolean isProof(byte[] candidate, LinkSecret secret, Side prover) {
        return secret.isProof(candidate, prover, dialerNonce(), acceptorNonce());
    }

    private byte[] dialerNonce() {
        return side == Side.DIALER ? ownNonce : known(peerNonce);
    }

    private byte[] acceptorNonce() {
        return side == Side.DIALER ? known(peerNonce) : ownNonce;
    }

    private static byte[] known(byte @Nullable [] nonce) {
        if (nonce == null) {
            throw new IllegalStateException("nothing is proved before both nonces are known");
        }
        return nonce;
    }

    private void checkVersion(ChannelHandlerContext context) {
        int version = SecretPreamble.version(message);
        boolean refusal = SecretPreamble.kind(message) == Kind.REFUSE;
        if (version != SecretPreamble.VERSION && !(refusal && side == Side.DIALER)) {
            if (side == Side.ACCEPTOR) {
                refuse(context, Refusal.VERSION);
            }
            throw new DistrustException(
                    "it proves the shared secret in version " + version + " of the protocol, this node in version "
                            + SecretPreamble.VERSION + ": run releases that fit together");
        }
    }

    private DistrustException refused() {
        Refusal refusal = SecretPreamble.refusal(message);
        return new DistrustException(
                refusal == Refusal.SECRET
                        ? "it does not know this node's shared secret: give both the same secret"
                        : refusal == Refusal.VERSION
                                ? "it proves the shared secret in another version of the protocol than this node, in version "
                                        + SecretPreamble.VERSION + ": run releases that fit together"
                                : "it refused this node's proof of the shared secret; its log tells why");
    }

    private static void refuse(ChannelHandlerContext context, Refusal refusal) {
        context.writeAndFlush(SecretPreamble.encode(refusal));
    }

    /** What came is not of this protocol. A node without a secret is told so, in words that tell it nothing else. */
    private void stranger(ChannelHandlerContext context) {
        if (!HandshakeFormat.mayBegin(message, filled)) {
            throw new DistrustException(
                    "it sent " + HandshakeDecoder.stranger(Unpooled.wrappedBuffer(message, 0, filled)));
        }
        if (side == Side.ACCEPTOR) {
            context.writeAndFlush(Unpooled.wrappedBuffer(HandshakeFormat.encode(new Handshake.Refuse(
                    RefusalCode.SECRET,
                    "this node takes links with the cluster's shared secret only: set it on the node that dials"))));
        }
        throw new DistrustException(
                "it speaks without a shared secret, this node with one only; if it is a node of this cluster, give both the"
                        + " same secret");
    }

    private void fail(ChannelHandlerContext context, DistrustException reason) {
        over = true;
        context.fireExceptionCaught(reason);
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!over && side == Side.DIALER) {
            over = true;
            context.fireExceptionCaught(new IOException(
                    expected == Kind.ANSWER
                            ? "the other side closed it when asked for the shared secret: does it have one? Its log tells"
                            : "the other side closed it instead of proving the shared secret; its log may tell why"));
        }
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        release(queue -> queue.removeAndFailAll(new ClosedChannelException()));
    }

    private void release(Consumer<PendingWriteQueue> end) {
        PendingWriteQueue queue = waiting;
        waiting = null;
        if (queue != null) {
            end.accept(queue);
        }
    }
}
