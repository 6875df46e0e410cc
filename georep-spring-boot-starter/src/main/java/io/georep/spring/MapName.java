package io.georep.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says which map an injected {@link io.georep.funnel.ReplicatedMap}, {@link io.georep.geopaxos.OrderedMap} or {@link
 * io.georep.flagons.FleetMap} is.
 *
 * <pre>{@code
 * Router(@MapName("routes") ReplicatedMap<String, Route> routes) { … }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.METHOD})
public @interface MapName {
    /** Name of the map. It may contain placeholders. */
    String value();
}
