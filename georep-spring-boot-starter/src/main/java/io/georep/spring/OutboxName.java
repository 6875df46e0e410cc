package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says to which queue an injected {@link io.georep.outbox.Outbox} belongs. Without this annotation, the starter takes the name
 * of the field or parameter, if {@code georep.outboxes} has settings of that name.
 *
 * <pre>{@code
 * Messages(@OutboxName("sms") Outbox<Sms> outbox) { … }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD})
public @interface OutboxName {
    /** Name of the queue. It may contain placeholders. */
    String value();
}
