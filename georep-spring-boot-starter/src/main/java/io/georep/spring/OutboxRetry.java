package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What happens after a handler failed. Texts may contain placeholders. An empty text means that the properties {@code
 * georep.listener.retry.*} decide. The properties {@code georep.outboxes.<queue>.retry.*} win over this annotation.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface OutboxRetry {
    /** Delay after the first attempt, for example {@code 500ms} or {@code PT0.5S}. */
    String delayMin() default "";

    /** Longest delay. */
    String delayMax() default "";

    /** Returns how much longer each delay is than the one before, at least 1. */
    String factor() default "";

    /** Part of a delay by which it is randomly shorter or longer, 0 to 1. */
    String jitter() default "";

    /** Attempts before the entry becomes a dead letter, the first included; 0 for no limit. */
    String attempts() default "";

    /** Errors after which another attempt is made; after any other error the entry becomes a dead letter. Empty: all errors. */
    Class<? extends Throwable>[] retryOn() default {};

    /** Errors after which the entry becomes a dead letter at once. */
    Class<? extends Throwable>[] neverOn() default {};
}
