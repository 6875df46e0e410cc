package io.georep.runtime;

import java.util.List;

/** Takes what protocols tell the side of the application, in order, one batch per turn. Must not block. */
@FunctionalInterface
public interface AppSink {
    /** Called on the loop's thread; the list belongs to the receiver. */
    void accept(List<Object> events);
}
