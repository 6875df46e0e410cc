package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Marks the method that forwards the entries of a queue. A queue has one such method per application. Every node that may have
 * to forward the queue's entries needs one.
 *
 * <p>A normal return means that the entry was forwarded, and all its copies are deleted. After an exception the entry is tried
 * again as {@link #retry} says. If the method returns a {@link java.util.concurrent.CompletionStage}, the entry was forwarded
 * when the stage completes normally.
 *
 * <p>The method takes these parameters, in any order: the payload; {@link io.georep.outbox.Delivery Delivery&lt;payload&gt;};
 * {@link io.georep.model.EntryId}; {@link EntryHeader @EntryHeader}; with {@link AckMode#MANUAL} an {@link Acknowledgement}.
 * With {@link #batch} it takes a {@code List} of payloads, deliveries or ids, and one acknowledgement for the whole batch, a
 * {@code List} of them, or both.
 *
 * <pre>{@code
 * @OutboxListener("sms")
 * void forward(Sms sms, Delivery<Sms> delivery) {
 *     operator.submit(sms, delivery.id().toString());
 * }
 * }</pre>
 *
 * <p>Texts may contain placeholders. Settings under {@code georep.outboxes.<queue>} win over attributes, and attributes win
 * over {@code georep.listener}. An empty text means that the settings decide.
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

    /** Name of the listener; it must be unique in the application. Default: the name of the queue. */
    String id() default "";

    /** Returns how many calls run at the same time; 1 unless the settings say otherwise. */
    String concurrency() default "";

    /**
     * Whether the method takes lists of entries. It can throw a {@link io.georep.outbox.BatchFailedException} to say which of them
     * failed. After any other exception all of them are retried, one by one.
     */
    boolean batch() default false;

    /** Returns how many entries a list has at most; 100 unless the settings say otherwise. */
    String batchMax() default "";

    /** Returns how many entries may be ready for the method or in its hands; 100 unless the settings say otherwise. */
    String window() default "";

    /** Returns when an entry counts as forwarded. */
    AckMode ackMode() default AckMode.AUTO;

    /** Name of an {@link OutboxErrorHandler} bean that decides about failed attempts. Empty: the retry policy alone decides. */
    String errorHandler() default "";

    /** Whether the listener starts with the application: {@code true} (the default) or {@code false}. */
    String autoStartup() default "";

    /** What happens after a failure. */
    OutboxRetry retry() default @OutboxRetry;
}
