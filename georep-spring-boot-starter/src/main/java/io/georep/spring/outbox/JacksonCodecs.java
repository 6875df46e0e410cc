package io.georep.spring.outbox;

import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import java.util.Map;
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
                throw failure("written", field(e), e);
            }
        }

        @Override
        public T decode(Slice bytes) {
            try {
                return reader.readValue(bytes.array(), bytes.offset(), bytes.length());
            } catch (JacksonException e) {
                throw failure("read", line(e), e);
            }
        }

        /** Says what went wrong and where, but not what stands there: Jackson's own text quotes it, and keys of maps are data. */
        private static JsonPayloadException failure(String what, String where, JacksonException cause) {
            return new JsonPayloadException(
                    "the payload cannot be " + what + " as JSON: "
                            + cause.getClass().getSimpleName() + where,
                    cause.getStackTrace());
        }

        private static String line(JacksonException cause) {
            TokenStreamLocation location = cause.getLocation();
            return location == null || location.getLineNr() < 1
                    ? ""
                    : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
        }

        private static String field(JacksonException cause) {
            StringBuilder field = new StringBuilder();
            for (JacksonException.Reference step : cause.getPath()) {
                boolean named = step.getPropertyName() != null && !(step.from() instanceof Map);
                field.append(named ? "." + step.getPropertyName() : "[]");
            }
            return field.isEmpty() ? "" : " in field " + field.substring(field.charAt(0) == '.' ? 1 : 0);
        }
    }
}
