package io.georep.bench.process;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Bounds of an option that is a number, or of each of several; {@link Program} checks them. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Range {
    /** Smallest number allowed. */
    long min();

    /** Largest number allowed. */
    long max();
}
