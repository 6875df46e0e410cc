package io.georep.spring.outbox;

import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import org.springframework.core.ResolvableType;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/** JSON by the application's mapper. */
public final class JacksonCodecs implements JsonCodecs {
    private final JsonMapper mapper;

    public JacksonCodecs(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public PayloadCodec<?> codec(ResolvableType type) {
        JavaType javaType = mapper.getTypeFactory().constructType(type.getType());
        return new JacksonCodec<>(mapper.writerFor(javaType), mapper.readerFor(javaType));
    }

    private record JacksonCodec<T>(ObjectWriter writer, ObjectReader reader) implements PayloadCodec<T> {
        @Override
        public byte[] encode(T payload) {
            try {
                return writer.writeValueAsBytes(payload);
            } catch (JacksonException e) {
                throw failure("written", e);
            }
        }

        @Override
        public T decode(Slice bytes) {
            try {
                return reader.readValue(bytes.array(), bytes.offset(), bytes.length());
            } catch (JacksonException e) {
                throw failure("read", e);
            }
        }

        /** Says what went wrong and where, but not what stands there: Jackson's own text quotes it. */
        private static JsonPayloadException failure(String what, JacksonException cause) {
            TokenStreamLocation location = cause.getLocation();
            String at = location == null || location.getLineNr() < 1
                    ? ""
                    : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
            return new JsonPayloadException(
                    "the payload cannot be " + what + " as JSON: "
                            + cause.getClass().getSimpleName() + at,
                    cause.getStackTrace());
        }
    }
}
