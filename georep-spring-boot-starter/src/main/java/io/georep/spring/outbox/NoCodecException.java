package io.georep.spring.outbox;

import io.georep.model.GeoRepException;
import io.georep.spring.Remedy;

/** Nothing in the application can write payloads of this type. */
final class NoCodecException extends GeoRepException implements Remedy {
    private static final long serialVersionUID = 1L;

    private final String type;

    NoCodecException(String user, String type) {
        super(user + ": nothing can write " + type);
        this.type = type;
    }

    @Override
    public String remedy() {
        return "Add org.springframework.boot:spring-boot-starter-jackson to send JSON (of several JsonMapper beans, mark one"
                + " as @Primary), declare a bean of type PayloadCodec<" + type + ">, or send byte[] or String.";
    }
}
