package io.georep.spring.boot.actuate.console;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Looks at the node for all pages together: once per second while a page is open, otherwise as often as the history needs it, and
 * never more often than once per second, whoever asks. It stops before the web server does, which would wait for open pages.
 */
final class ConsoleFeed implements SmartLifecycle {
    /** More pages cost memory, and connections of the server. */
    static final int PAGES_MAX = 16;

    static final long EVERY_MILLIS = 1000;
    private static final int LOOKS_PER_SAMPLE = 10;
    private static final long FIRST_LOOK_SECONDS = 15;
    private static final Logger LOG = LoggerFactory.getLogger(ConsoleFeed.class);

    private final NodeView view;
    private final History history = new History(LOOKS_PER_SAMPLE * EVERY_MILLIS / 1000);
    private final Set<EventStream> pages = ConcurrentHashMap.newKeySet();
    private final ReentrantLock looking = new ReentrantLock();
    private @Nullable ScheduledExecutorService timer;
    private volatile @Nullable ConsoleState state;
    private volatile boolean stopped;
    private History.@Nullable Sample sample;
    private long lookedAtNanos;
    private boolean wasWatched;
    private int ticks;

    ConsoleFeed(NodeView view) {
        this.view = view;
    }

    History history() {
        return history;
    }

    /** Returns what is known, at most a second old unless the node is slow to answer; null if it has never answered. */
    @Nullable
    ConsoleState current() {
        try {
            // The first look must be waited for. Later, who comes while somebody looks gets what was known before.
            if (state == null ? looking.tryLock(FIRST_LOOK_SECONDS, TimeUnit.SECONDS) : looking.tryLock()) {
                try {
                    look(true);
                } finally {
                    looking.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return state;
    }

    /** Opens a page; returns whether there is room for it. */
    synchronized boolean open(AsyncContext context, ServletOutputStream out) {
        if (stopped || pages.size() >= PAGES_MAX) {
            return false;
        }
        EventStream page = new EventStream(context, out, this::everything, pages::remove);
        pages.add(page);
        try {
            page.start();
        } catch (RuntimeException e) {
            pages.remove(page); // A filter around the response that cannot write without waiting, for example.
            throw e;
        }
        return true;
    }

    int pages() {
        return pages.size();
    }

    private byte[] everything() {
        ConsoleState now = state;
        return now == null ? new byte[0] : ConsoleState.event("state", now.json());
    }

    /** The caller has the lock, and keeps it while the node answers. */
    private void look(boolean isWatched) {
        ConsoleState before = state;
        // What nobody was to see lacks the other nodes.
        if (before != null
                && (wasWatched || !isWatched)
                && System.nanoTime() - lookedAtNanos < TimeUnit.MILLISECONDS.toNanos(EVERY_MILLIS)) {
            return;
        }
        Instant now = Instant.now();
        NodeView.Look look = view.look(now, isWatched);
        ConsoleState after = ConsoleState.of(look.items(), now.toEpochMilli());
        state = after;
        wasWatched = isWatched;
        sample = look.sample();
        lookedAtNanos = System.nanoTime();
        if (before != null && !pages.isEmpty()) {
            byte[] change = ConsoleState.event("change", after.jsonSince(before));
            pages.forEach(page -> page.update(change));
        }
    }

    private void tick() {
        try {
            boolean due = ticks++ % LOOKS_PER_SAMPLE == 0;
            if (!due && pages.isEmpty()) {
                return;
            }
            looking.lock();
            try {
                look(!pages.isEmpty());
                if (due && sample != null) {
                    history.add(sample, Instant.now().getEpochSecond());
                }
            } finally {
                looking.unlock();
            }
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("The console could not look at the node, and tries again", e);
        }
    }

    /** The future is not needed: {@link #tick} never throws. */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored")
    public synchronized void start() {
        if (timer == null) {
            ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "georep-console");
                thread.setDaemon(true);
                return thread;
            });
            executor.scheduleWithFixedDelay(this::tick, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
            timer = executor;
            stopped = false;
        }
    }

    @Override
    public void stop() {
        synchronized (this) {
            stopped = true;
            if (timer != null) {
                timer.shutdownNow();
                timer = null;
            }
        }
        pages.forEach(EventStream::end);
    }

    @Override
    public synchronized boolean isRunning() {
        return timer != null;
    }
}
