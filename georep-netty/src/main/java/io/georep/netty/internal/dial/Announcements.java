package io.georep.netty.internal.dial;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listener what happened to links, in order, until the listener has taken it. A listener must not throw.
 * One that does, perhaps for lack of memory, is told again; otherwise it would believe for ever in a link that is
 * gone, or never hear of one that is there. Confined to the control loop.
 */
public final class Announcements {
    private static final Logger LOG = LoggerFactory.getLogger(Announcements.class);
    private static final long PAUSE_MILLIS = 100;

    private final EventExecutor control;
    private final ArrayDeque<Runnable> untold = new ArrayDeque<>();
    private boolean pausing;
    private @Nullable ScheduledFuture<?> pause;

    public Announcements(EventExecutor control) {
        this.control = control;
    }

    /** Tells this after all that is still to be told. */
    public void tell(Runnable event) {
        untold.add(event);
        if (!pausing) {
            tellAll();
        }
    }

    private void tellAll() {
        for (Runnable event = untold.peek(); event != null; event = untold.peek()) {
            try {
                event.run();
            } catch (Throwable e) {
                pausing = true;
                pause = control.schedule(this::again, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                LOG.error("the transport's listener threw, which it must not; it is told again", e);
                return;
            }
            untold.remove();
        }
    }

    /** Goes on if nothing else would, because memory was short when the pause began. */
    public void look() {
        if (pausing && (pause == null || pause.isDone())) {
            again();
        }
    }

    private void again() {
        pausing = false;
        pause = null;
        tellAll();
    }
}
