package io.georep.spring.boot.actuate.console;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An open page. A page that reads slowly costs nobody else: what it misses is replaced by all that is known when it can read
 * again, so no more than one message waits here. Nothing in it blocks, and its methods may be called by any thread, because one
 * at a time does the work of all.
 */
final class EventStream implements WriteListener, AsyncListener {
    private final AsyncContext context;
    private final ServletOutputStream out;
    private final Supplier<byte[]> everything;
    private final Consumer<EventStream> onEnd;
    private final AtomicReference<byte @Nullable []> next = new AtomicReference<>();
    private final AtomicBoolean behind = new AtomicBoolean(true);
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean ending;
    private boolean flushDue;

    EventStream(
            AsyncContext context, ServletOutputStream out, Supplier<byte[]> everything, Consumer<EventStream> onEnd) {
        this.context = context;
        this.out = out;
        this.everything = everything;
        this.onEnd = onEnd;
    }

    /** Sends all that is known now, and from now on what changes. */
    void start() {
        context.addListener(this);
        out.setWriteListener(this);
    }

    /** Sends what has changed. One thread at a time. */
    void update(byte[] change) {
        if (behind.get() || !next.compareAndSet(null, change)) {
            behind.set(true);
        }
        pump();
    }

    /** Closes the connection; the browser comes again by itself. */
    void end() {
        ending = true;
        pump();
    }

    private void pump() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        int done = 1;
        do {
            try {
                drain();
            } catch (IOException | RuntimeException e) {
                finish(); // The browser has gone.
            }
            done = work.addAndGet(-done);
        } while (done != 0);
    }

    private void drain() throws IOException {
        while (!ended.get()) {
            if (ending) {
                finish();
            } else if (!out.isReady()) {
                return; // The container calls again.
            } else if (flushDue) {
                flushDue = false;
                out.flush();
            } else {
                byte[] message = message();
                if (message == null) {
                    return;
                }
                flushDue = true;
                out.write(message);
            }
        }
    }

    private byte @Nullable [] message() {
        if (behind.getAndSet(false)) {
            next.set(null);
            return everything.get();
        }
        return next.getAndSet(null);
    }

    private void finish() {
        if (gone()) {
            try {
                context.complete();
            } catch (IllegalStateException e) {
                // The container has ended it.
            }
        }
    }

    private boolean gone() {
        boolean first = ended.compareAndSet(false, true);
        if (first) {
            onEnd.accept(this);
        }
        return first;
    }

    @Override
    public void onWritePossible() {
        pump();
    }

    @Override
    public void onError(Throwable error) {
        finish();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        finish();
    }

    @Override
    public void onError(AsyncEvent event) {
        finish();
    }

    @Override
    public void onComplete(AsyncEvent event) {
        gone();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // Nobody starts it again.
    }
}
