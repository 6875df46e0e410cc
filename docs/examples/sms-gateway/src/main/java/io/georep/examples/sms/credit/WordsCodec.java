package io.georep.examples.sms.credit;

import io.georep.model.Slice;
import io.georep.spi.PayloadCodec;
import java.util.function.Function;

/**
 * Writes values as words with spaces between them; no word has one. All gateways have to write the same bytes for the same value,
 * whatever JSON library or version of it they run.
 */
final class WordsCodec<T> implements PayloadCodec<T> {
    private static final PayloadCodec<String> TEXT = PayloadCodec.string();

    private final Function<T, Object[]> toWords;
    private final Function<String[], T> fromWords;

    WordsCodec(Function<T, Object[]> toWords, Function<String[], T> fromWords) {
        this.toWords = toWords;
        this.fromWords = fromWords;
    }

    @Override
    public byte[] encode(T value) throws Exception {
        Object[] words = toWords.apply(value);
        String[] texts = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            texts[i] = words[i].toString();
        }
        return TEXT.encode(String.join(" ", texts));
    }

    @Override
    public T decode(Slice bytes) throws Exception {
        return fromWords.apply(TEXT.decode(bytes).split(" ", -1));
    }
}
