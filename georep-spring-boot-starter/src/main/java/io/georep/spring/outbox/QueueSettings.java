package io.georep.spring.outbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of one queue that concern its sending side.
 *
 * @param f copies on other nodes
 * @param deduplicationWindow how long producer keys are remembered; null: not at all
 * @param deduplicationKeysMax most producer keys remembered
 */
public record QueueSettings(int f, @Nullable Duration deduplicationWindow, int deduplicationKeysMax) {}
