package io.georep.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connectors of this application, which are plugins of Kafka Connect under {@code georep.connectors}. There is a bean of this
 * type if there are any and {@code org.apache.kafka:connect-api} is on the class path. The actions do not wait for their effect. Thread-safe.
 */
public interface Connectors {
    /** Where a connector or a task is in its life. */
    enum State {
        /** It works. */
        RUNNING,
        /** An operator paused it. */
        PAUSED,
        /** It failed, and is started again after a pause. */
        FAILED,
        /** It is being started. */
        RESTARTING,
        /** It is a source that runs on another node, or waits until this node has caught up with one. */
        UNASSIGNED,
        /** It does not run: the application does not run, or an operator stopped it. */
        STOPPED
    }

    /**
     * A connector.
     *
     * @param name its name, under {@code georep.connectors}
     * @param type {@code sink} or {@code source}
     * @param connectorClass the class of the plugin
     * @param state where it is in its life
     * @param problem what an operator should know; null for nothing
     * @param tasks its tasks, by their numbers
     * @param queues the queues whose entries it takes; none for a source
     * @param failures how often it, or one of its tasks, has failed on this node since the application started
     */
    record Status(
            String name,
            String type,
            String connectorClass,
            State state,
            @Nullable String problem,
            List<Task> tasks,
            List<String> queues,
            long failures) {
        /** Returns whether it, or one of its tasks, has failed or does not get on. */
        public boolean troubled() {
            return problem != null || tasks.stream().anyMatch(task -> task.problem() != null);
        }
    }

    /**
     * A task of a connector.
     *
     * @param id its number, from 0
     * @param state where it is in its life
     * @param problem what an operator should know; null for nothing
     * @param pending the records in its hands: of a sink those that it has taken and not flushed, of a source those that are not
     *     committed yet
     */
    record Task(int id, State state, @Nullable String problem, int pending) {}

    /** Returns all connectors, by their names. */
    List<Status> all();

    /** Returns the connector of this name; null if there is none. */
    @Nullable
    Status byName(String name);

    /**
     * Takes no more entries, or records of the source, until {@link #resume}. Like {@link #resume} and {@link #stop}, this holds
     * on all nodes and after restarts; other nodes follow as soon as they hear of it.
     *
     * @throws IllegalArgumentException if there is no connector of this name
     */
    void pause(String name);

    /**
     * Goes on after {@link #pause} or {@link #stop}.
     *
     * @throws IllegalArgumentException if there is no connector of this name
     */
    void resume(String name);

    /**
     * Ends the connector and its tasks on this node, and starts them again at once.
     *
     * @throws IllegalArgumentException if there is no connector of this name
     */
    void restart(String name);

    /**
     * Ends the connector and its tasks on all nodes until {@link #resume}.
     *
     * @throws IllegalArgumentException if there is no connector of this name
     */
    void stop(String name);
}
