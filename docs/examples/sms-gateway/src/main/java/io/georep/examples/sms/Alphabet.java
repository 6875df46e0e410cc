package io.georep.examples.sms;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** How texts become bytes. */
public enum Alphabet {
    /**
     * The operator's default alphabet. Which one that is differs between operators, so only characters are written that
     * have the same byte in all of them.
     */
    DEFAULT(0, StandardCharsets.US_ASCII),
    /** ISO 8859-1, also used to show bytes in an alphabet we do not know. */
    LATIN_1(3, StandardCharsets.ISO_8859_1),
    /** Two bytes per character, four for those outside the basic plane. */
    UCS_2(8, StandardCharsets.UTF_16BE);

    private static final String SAME_EVERYWHERE = " \r\n!\"#%&'()*+,-./:;<=>?";

    private final byte dataCoding;
    private final Charset charset;

    Alphabet(int dataCoding, Charset charset) {
        this.dataCoding = (byte) dataCoding;
        this.charset = charset;
    }

    /** SMPP's data_coding for it. */
    public byte dataCoding() {
        return dataCoding;
    }

    /** The alphabet of a data_coding. */
    static Alphabet of(byte dataCoding) {
        for (Alphabet alphabet : values()) {
            if (alphabet.dataCoding == dataCoding) {
                return alphabet;
            }
        }
        return LATIN_1;
    }

    /** The alphabet that needs the fewest bytes for a text. */
    static Alphabet shortest(String text) {
        if (text.chars().allMatch(Alphabet::sameEverywhere)) {
            return DEFAULT;
        }
        return LATIN_1.charset.newEncoder().canEncode(text) ? LATIN_1 : UCS_2;
    }

    byte[] encode(String text) {
        return text.getBytes(charset);
    }

    String decode(byte[] content) {
        return new String(content, charset);
    }

    private static boolean sameEverywhere(int character) {
        return character >= 'a' && character <= 'z'
                || character >= 'A' && character <= 'Z'
                || character >= '0' && character <= '9'
                || SAME_EVERYWHERE.indexOf(character) >= 0;
    }
}
