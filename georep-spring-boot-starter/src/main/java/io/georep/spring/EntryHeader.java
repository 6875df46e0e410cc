package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of a listener method that takes headers of the entry: a {@code String} or {@code Optional<String>} takes
 * one header, and a {@code Map<String, String>} takes all.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface EntryHeader {
    /** Name of the header. Default: the name of the parameter. A map does not use it. */
    String value() default "";

    /** Returns whether the call fails for an entry that lacks the header. If not, the parameter is null. */
    boolean required() default true;
}
