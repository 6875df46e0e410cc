package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Marks the method that forwards the entries of a queue. There is one per queue and application.
 *
 * <p>A normal return means forwarded: all copies are deleted. An exception means: try again as {@link #retry} says. A
 * method that returns a {@link java.util.concurrent.CompletionStage} forwards when the stage completes normally.
 *
 * <p>Parameters, in any order: the payload, {@link io.georep.outbox.Delivery Delivery&lt;payload&gt;}, or with {@link #batch} a
 * {@code List} of either; {@link io.georep.model.EntryId}; {@link EntryHeader @EntryHeader}; with {@link AckMode#MANUAL}
 * an {@link Acknowledgement}, of a batch also a {@code List} of them.
 *
 * <pre>{@code
 * @OutboxListener("sms")
 * void forward(Sms sms, Delivery<Sms> delivery) {
 *     operator.submit(sms, delivery.id().toString());
 * }
 * }</pre>
 *
 * <p>Texts may contain placeholders. Settings under {@code georep.outboxes.<queue>} win over attributes, attributes over
 * {@code georep.listener}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Reflective(PayloadReflection.class)
public @interface OutboxListener {
    /** Name of the queue. */
    @AliasFor("queue")
    String value() default "";

    /** Name of the queue. */
    @AliasFor("value")
    String queue() default "";

    /** Name of the listener, unique in the application; default: the name of the queue. */
    String id() default "";

    /** Handler calls at the same time. */
    String concurrency() default "";

    /**
     * Whether the method takes lists of entries. It throws a {@link io.georep.outbox.BatchFailedException} to say which of them
     * failed; after any other exception all of them are retried, one by one.
     */
    boolean batch() default false;

    /** Most entries in one list. */
    String batchMax() default "";

    /** Entries that may be ready for the method or in its hands. */
    String window() default "";

    /** When an entry counts as forwarded. */
    AckMode ackMode() default AckMode.AUTO;

    /** Name of an {@link OutboxErrorHandler} bean. */
    String errorHandler() default "";

    /** Whether the listener starts with the application: {@code true} or {@code false}. */
    String autoStartup() default "";

    /** What happens after a failure. */
    OutboxRetry retry() default @OutboxRetry;
}
