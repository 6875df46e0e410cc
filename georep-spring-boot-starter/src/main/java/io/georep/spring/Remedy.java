package io.georep.spring;

/** An error in the application's configuration that knows what to write instead. The failed start shows it. */
public interface Remedy {
    /** Returns what to write instead, in full sentences. */
    String remedy();
}
