package io.georep.spring;

/** An error of the application's configuration that knows what to write instead; shown when the application fails to start. */
public interface Remedy {
    /** What to write instead, in full sentences. */
    String remedy();
}
