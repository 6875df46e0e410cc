package io.georep.bench.network;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a connection. It hands on what it receives, the end of the connection included, in order. Each piece waits
 * until the delay of its direction is over and the direction is open. Until the direction is known, it keeps everything. Used on the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails ends the channel, which is noticed anyway.
final class Pipe {
    /** It stops reading while it holds more than this for a slow direction; little, so that the sender soon notices the slow reader. */
    private static final int HELD_BYTES_MAX_SLOW = 16 << 10;

    /** The same until the direction is known. */
    private static final int HELD_BYTES_MAX_UNKNOWN = 1 << 20;

    private static final long TOKENS_NANOS = 10_000_000;

    /** Bytes that came together, and their share of the jitter. The end of the connection is a piece without bytes. */
    private record Piece(ByteBuf bytes, long sinceNanos, double stretch) {}

    private final Deque<Piece> pieces = new ArrayDeque<>();
    private final Random random;
    private final Channel from;
    private @Nullable Channel to;
    private @Nullable Direction direction;
    private long heldBytes;
    private boolean waiting;
    private boolean discarded;

    Pipe(Channel from, Random random) {
        this.from = from;
        this.random = random;
    }

    /** Says which direction this is. */
    void on(Direction known) {
        direction = known;
        known.add(this);
        pump();
    }

    /** Says where it leads, once that is connected. */
    void to(Channel connected) {
        to = connected;
        pump();
    }

    /** Takes over some bytes. */
    void take(ByteBuf bytes) {
        heldBytes += bytes.readableBytes();
        add(bytes);
        read();
    }

    /** The side it reads from has closed. */
    void end() {
        add(Unpooled.EMPTY_BUFFER);
    }

    /** Drops what it holds: it has no target. */
    void discard() {
        discarded = true;
        pieces.forEach(piece -> piece.bytes.release());
        pieces.clear();
        if (direction != null) {
            direction.remove(this);
        }
        from.close();
    }

    /** Closes both sides at once; what is under way is lost. */
    void cut() {
        from.close();
        if (to != null) {
            to.close();
        }
    }

    private void add(ByteBuf bytes) {
        if (discarded) {
            bytes.release();
            return;
        }
        pieces.add(new Piece(bytes, System.nanoTime(), random.nextDouble()));
        pump();
    }

    /** Hands on what may pass. */
    void pump() {
        Direction along = direction;
        Channel target = to;
        if (along == null || target == null) {
            return;
        }
        while (!pieces.isEmpty() && !along.blocked() && (target.isWritable() || !target.isActive())) {
            Piece next = pieces.element();
            long due = next.sinceNanos + (long) (along.delayNanos() * (1 + along.jitter() * next.stretch));
            long left = due - System.nanoTime();
            if (left > 0) {
                pumpAfter(left);
                break;
            }
            int admitted = along.admit(next.bytes.readableBytes());
            if (admitted < next.bytes.readableBytes()) {
                passPart(next.bytes, admitted, target, along);
                pumpAfter(TOKENS_NANOS);
                break;
            }
            pieces.remove();
            pass(next.bytes, target, along);
        }
        target.flush();
    }

    /** A slow direction lets the beginning of a piece through. */
    private void passPart(ByteBuf bytes, int length, Channel target, Direction along) {
        if (length > 0) {
            ByteBuf part = bytes.readRetainedSlice(length);
            damage(part, along);
            heldBytes -= length;
            target.write(part);
            read();
        }
    }

    /** Reads on while it holds little. */
    private void read() {
        int most = direction == null
                ? HELD_BYTES_MAX_UNKNOWN
                : direction.isSlow() ? HELD_BYTES_MAX_SLOW : direction.heldBytesMax();
        from.config().setAutoRead(heldBytes < most);
    }

    /** Flips a bit now and then. */
    private void damage(ByteBuf bytes, Direction along) {
        int every = along.damageEvery();
        if (every > 0 && random.nextInt(every) < bytes.readableBytes()) {
            int at = bytes.readerIndex() + random.nextInt(bytes.readableBytes());
            bytes.setByte(at, bytes.getByte(at) ^ 1 << random.nextInt(8));
        }
    }

    private void pumpAfter(long nanos) {
        if (!waiting) {
            waiting = true;
            Runnable due = () -> {
                waiting = false;
                pump();
            };
            from.eventLoop().schedule(due, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void pass(ByteBuf bytes, Channel target, Direction along) {
        if (!bytes.isReadable()) {
            target.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            along.remove(this);
            return;
        }
        heldBytes -= bytes.readableBytes();
        damage(bytes, along);
        target.write(bytes); // Releases them, also when the target is closed.
        read();
    }
}
