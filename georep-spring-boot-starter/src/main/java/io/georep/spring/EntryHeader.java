package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a parameter of a listener that takes a header of the entry: a {@code String} or {@code Optional<String>} for one
 * header, or a {@code Map<String, String>} for all.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface EntryHeader {
    /** Name of the header; default: the name of the parameter. Not used with a map. */
    String value() default "";

    /** Whether an entry without the header fails instead of giving null. */
    boolean required() default true;
}
