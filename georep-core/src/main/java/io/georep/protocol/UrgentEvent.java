package io.georep.protocol;

/**
 * An event that waits for no callback of the application: its side takes it on the thread of the driver, so it only hands it on and calls
 * nothing of the application. It may be told before events that came earlier.
 */
public interface UrgentEvent {}
