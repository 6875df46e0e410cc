package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Marks a method that is told about every entry this node took over from another, before the entry goes to the queue's
 * listener and on the same thread. What it throws is logged; it returns nothing.
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
    /** Name of the queue; may contain placeholders. */
    String value();
}
