package io.georep.runtime;

import java.util.List;

/** Receives what protocols tell the application side, in order, a batch per turn. Must not block. */
@FunctionalInterface
public interface AppSink {
    /** Called on the loop's thread; the list belongs to the receiver. */
    void accept(List<Object> events);
}
