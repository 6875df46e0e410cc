package io.georep.protocol;

/**
 * An event that waits for no callback of the application. Its side takes it on the driver's thread, so the side may only hand
 * it on and must not call the application. It may overtake earlier events.
 */
public interface UrgentEvent {}
