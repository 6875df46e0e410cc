package io.georep;

import io.georep.logging.SafeLog;
import io.georep.protocol.local.LocalSide;
import io.georep.runtime.BestEffort;
import io.georep.runtime.EventDispatcher;
import io.georep.runtime.ProtocolEvent;
import io.georep.spi.Ticker;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side of one protocol, and the thread that calls it: its application thread. Each has one of its own, so that a slow
 * callback does not delay the answers of others.
 */
final class SideThread implements EventDispatcher.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(SideThread.class);

    /** Told by the node when the driver has ended and no event follows. */
    static final List<Object> END = List.of("end");

    /** The protocol's name, for messages. */
    final String name;

    final EventDispatcher thread;

    /** What this side asks its protocol. */
    final PendingAnswers answers = new PendingAnswers();

    /** The last reading of statistics that did not come in time. */
    volatile CompletableFuture<?> overdue = CompletableFuture.completedFuture(null);

    private final String nodeName;
    private final Consumer<Throwable> fail;
    private final Runnable onEnd;
    private final BestEffort end = new BestEffort(this::end);
    private @Nullable LocalSide<?, ?, Object> side;
    private volatile boolean ended;

    /**
     * A thread that is not started yet.
     *
     * @param fail ends the node if something was lost by this error
     * @param onEnd called when the side has heard that no event follows
     */
    SideThread(String nodeName, String name, Ticker ticker, Consumer<Throwable> fail, Runnable onEnd) {
        this.nodeName = nodeName;
        this.name = name;
        this.fail = fail;
        this.onEnd = onEnd;
        thread = new EventDispatcher("georep-" + nodeName + "-" + name, ticker, this);
    }

    /**
     * Sets the side. Called before the thread starts. One module makes the side and its protocol, so their types of events
     * agree.
     */
    @SuppressWarnings("unchecked")
    void attach(LocalSide<?, ?, ?> local) {
        side = (LocalSide<?, ?, Object>) local;
    }

    LocalSide<?, ?, Object> side() {
        return Objects.requireNonNull(side, "side");
    }

    /** Returns whether its side has heard that no event follows. */
    boolean hasEnded() {
        return ended;
    }

    @Override
    public void events(List<Object> events) {
        for (int i = 0; i < events.size(); i++) {
            tell(events.get(i));
            Thread.interrupted(); // left behind by a callback
        }
    }

    /** Tells the side on the calling thread. */
    void tell(Object event) {
        try {
            if (event instanceof ProtocolEvent told) {
                side().event(told.event());
            } else if (!ended) {
                end.carryOut();
                ended = true;
                onEnd.run();
            }
        } catch (Throwable e) {
            failed(e);
            SafeLog.log(LOG, "Node {}: a callback failed on {}", nodeName, event, e);
        }
    }

    /** Tells the side that the driver has ended; again if it had no memory to answer its callers. */
    private void end() {
        try {
            side().ended();
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            logFailure(e);
        }
        answers.close();
    }

    /**
     * Ends the node when memory has run out: what the side was to be told is lost, and with it entries, credit, or
     * somebody's answer.
     */
    @Override
    public void failed(Throwable error) {
        fail.accept(error);
    }

    @Override
    public void time(long nowNanos) {
        try {
            side().time(nowNanos);
        } catch (Throwable e) {
            failed(e);
            logFailure(e);
        }
    }

    @Override
    public long nextDeadlineNanos() {
        return side().nextDeadlineNanos();
    }

    private void logFailure(Throwable error) {
        SafeLog.log(LOG, "Node {}: the local side of protocol '{}' failed", nodeName, name, error);
    }
}
