package io.georep.runtime;

/**
 * What a protocol tells its side of the application.
 *
 * @param channel the protocol's
 */
public record ProtocolEvent(int channel, Object event) {}
