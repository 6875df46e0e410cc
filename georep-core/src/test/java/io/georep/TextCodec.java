package io.georep;

import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Texts, with something to do at each reading. */
record TextCodec(Consumer<String> atReading) implements PayloadCodec<String> {
    @Override
    public byte[] encode(String payload) {
        return payload.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String decode(Slice bytes) {
        String text = new String(bytes.toArray(), StandardCharsets.UTF_8);
        atReading.accept(text);
        return text;
    }
}
