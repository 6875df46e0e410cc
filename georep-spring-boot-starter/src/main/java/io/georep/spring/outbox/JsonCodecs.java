package io.georep.spring.outbox;

import io.georep.spi.PayloadCodec;
import org.springframework.core.ResolvableType;

/** Writes any type as JSON. */
@FunctionalInterface
public interface JsonCodecs {
    /** Returns the codec of this type. */
    PayloadCodec<?> codec(ResolvableType type);
}
