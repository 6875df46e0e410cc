package io.georep.spring.listener;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * Where listeners run.
 *
 * @param virtual whether on virtual threads
 */
public record HandlerThreads(boolean virtual) {
    /** Virtual threads of a listener; null when the core's own threads are to be used. */
    @Nullable
    Executor virtualExecutor(String listener) {
        return virtual ? new VirtualThreadTaskExecutor("georep-" + listener + "-") : null;
    }
}
