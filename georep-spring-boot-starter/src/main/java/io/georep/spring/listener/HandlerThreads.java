package io.georep.spring.listener;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Where listeners run.
 *
 * @param virtual whether on virtual threads
 */
public record HandlerThreads(boolean virtual) {
    private static final long IDLE_SECONDS = 30;

    /** Virtual threads of a listener; null when the core's own threads are to be used. */
    @Nullable
    Executor virtualExecutor(String listener) {
        return virtual ? new VirtualThreadTaskExecutor(prefix(listener)) : null;
    }

    /** Threads of a listener that makes batches; they end after idling, so nobody has to shut them down. */
    Executor executor(String listener, int concurrency) {
        Executor executor = virtualExecutor(listener);
        if (executor != null) {
            return executor;
        }
        CustomizableThreadFactory factory = new CustomizableThreadFactory(prefix(listener));
        factory.setDaemon(true);
        // One more than batches at work: the thread that hands deliveries over must not wait for them.
        int count = concurrency + 1;
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                count, count, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static String prefix(String listener) {
        return "georep-" + listener + "-";
    }
}
