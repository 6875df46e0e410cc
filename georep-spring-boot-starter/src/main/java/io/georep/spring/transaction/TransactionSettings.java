package io.georep.spring.transaction;

import java.time.Duration;

/**
 * Times of transactional sends.
 *
 * @param holdTimeout longest time a commit waits until the held copies are durable
 * @param checkAfter age at which an entry of unknown outcome is first checked
 * @param checkInterval time between two checks of the same entry
 */
public record TransactionSettings(Duration holdTimeout, Duration checkAfter, Duration checkInterval) {}
