package io.georep.netty.internal;

import io.georep.spi.Transport;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has all event loops come round, see {@link Transport#goRound}. While the transport does not read, none does. Thread-safe. */
final class Rounds {
    private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);

    private final MultiThreadIoEventLoopGroup loops;
    private final LongConsumer cameRound;
    private boolean reads = true;
    private boolean isAsked;
    private long asked;

    /** The consumer is told the stamp when all loops have come round. */
    Rounds(MultiThreadIoEventLoopGroup loops, LongConsumer cameRound) {
        this.loops = loops;
        this.cameRound = cameRound;
    }

    /** What was sent before has woken its loop before, so it is written first. */
    synchronized void go(long stamp) {
        if (reads) {
            start(stamp, 0);
        } else {
            isAsked = true;
            asked = stamp;
        }
    }

    /** Reading stops, or goes on: then what has arrived meanwhile is read before the loops come round. */
    synchronized void reading(boolean on) {
        reads = on;
        if (on && isAsked) {
            isAsked = false;
            start(asked, 1);
        }
    }

    private void start(long stamp, long afterMillis) {
        AtomicInteger left = new AtomicInteger(loops.executorCount());
        Runnable round = () -> {
            if (left.decrementAndGet() == 0) {
                cameRound.accept(stamp);
            }
        };
        try {
            loops.forEach(loop -> {
                if (afterMillis == 0) {
                    loop.execute(round);
                } else {
                    // Not before the loop has looked once more at what has arrived.
                    Future<?> unused = loop.schedule(round, afterMillis, TimeUnit.MILLISECONDS);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("nobody comes round, the transport is closed");
        }
    }
}
