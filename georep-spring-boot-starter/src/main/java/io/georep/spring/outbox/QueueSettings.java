package io.georep.spring.outbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of one queue that concern its sending side.
 *
 * @param f copies on other nodes
 * @param fConfigured whether the queue's own properties say so
 * @param copiesMax the most copies any queue gets, whoever asks for more
 * @param deduplicationWindow how long producer keys are remembered; null: not at all
 * @param deduplicationKeysMax most producer keys remembered
 */
public record QueueSettings(
        int f, boolean fConfigured, int copiesMax, @Nullable Duration deduplicationWindow, int deduplicationKeysMax) {}
