package io.georep.spring.connect;

import java.util.List;
import java.util.Map;

/** The tasks of one connector while it runs, and what they share. For the thread of the connector, except {@link #tasks}. */
interface TaskGroup {
    /** Starts a task for each of these settings. */
    void start(List<Map<String, String>> taskSettings, boolean paused) throws Exception;

    /** Ends all tasks, and waits for that for a bounded time. Harmless if nothing was started. */
    void stop();

    /** Returns the tasks, by their numbers; empty before {@link #start}. For any thread. */
    List<? extends TaskRunner> tasks();
}
