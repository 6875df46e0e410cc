package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Marks a method that is told about every entry that this node took over from another one. It is called before the queue's
 * listener gets the entry, on the same thread. It returns nothing. If it throws, the error is logged.
 *
 * <p>Parameters, in any order: {@link io.georep.outbox.Adoption Adoption&lt;payload&gt;}, the payload,
 * {@link io.georep.outbox.Delivery Delivery&lt;payload&gt;}, {@link io.georep.model.EntryId},
 * {@link EntryHeader @EntryHeader}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Reflective(PayloadReflection.class)
public @interface OnAdoption {
    /** Name of the queue. It may contain placeholders. */
    String value();
}
