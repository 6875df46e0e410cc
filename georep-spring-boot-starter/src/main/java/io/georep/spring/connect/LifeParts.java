package io.georep.spring.connect;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The converters, transformations and predicates of one life of a task. They may hold threads and connections, so all of them are
 * closed with it, also if the life ends while they are made. For one thread.
 */
final class LifeParts implements AutoCloseable {
    private final Deque<Object> newestFirst = new ArrayDeque<>();

    /** Keeps a part, before it is configured. */
    <P> P add(P part) {
        newestFirst.push(part);
        return part;
    }

    @Override
    public void close() {
        while (!newestFirst.isEmpty()) {
            Object part = newestFirst.pop();
            if (part instanceof AutoCloseable closeable) {
                Quietly.run("closing " + part.getClass().getName(), closeable::close);
            }
        }
    }
}
