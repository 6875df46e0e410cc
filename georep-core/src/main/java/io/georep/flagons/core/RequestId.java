package io.georep.flagons.core;

/**
 * Names one request of one client. A client that retries at another node uses the name again, so that the request
 * takes effect once.
 */
public record RequestId(long client, long number) {}
