package io.georep.spring.boot.actuate;

import org.jspecify.annotations.Nullable;

/**
 * What the node must be able to do to be ready.
 *
 * @param f copies that must be possible; null: as many as the queue with the most wants
 * @param defaultF copies of queues that do not say
 */
public record ReadinessTarget(@Nullable Integer f, int defaultF) {}
