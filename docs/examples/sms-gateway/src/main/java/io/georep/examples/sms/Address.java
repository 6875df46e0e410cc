package io.georep.examples.sms;

/**
 * Who sends or gets a message.
 *
 * @param number digits of a telephone number, or a name
 * @param ton SMPP's type of number
 * @param npi SMPP's numbering plan indicator
 */
public record Address(String number, byte ton, byte npi) {
    /** Longest number or name SMPP can carry. */
    public static final int LENGTH_MAX = 20;

    private static final int DIGITS_MAX = 15;
    private static final int NAME_MAX = 11;
    private static final byte TON_UNKNOWN = 0;
    private static final byte TON_INTERNATIONAL = 1;
    private static final byte TON_ALPHANUMERIC = 5;
    private static final byte NPI_UNKNOWN = 0;
    private static final byte NPI_TELEPHONE = 1;

    /**
     * Reads what a person writes: {@code +31201234567}, {@code 12345} or a name like {@code GeoRep}.
     *
     * @throws IllegalArgumentException when it is none of them
     */
    public static Address parse(String text) {
        if (text.matches("\\+[0-9]{5," + DIGITS_MAX + "}")) {
            return new Address(text.substring(1), TON_INTERNATIONAL, NPI_TELEPHONE);
        }
        if (text.matches("[0-9]{3," + DIGITS_MAX + "}")) {
            return new Address(text, TON_UNKNOWN, NPI_TELEPHONE);
        }
        if (text.matches("[A-Za-z][A-Za-z0-9 ]{0," + (NAME_MAX - 1) + "}")) {
            return new Address(text, TON_ALPHANUMERIC, NPI_UNKNOWN);
        }
        throw new IllegalArgumentException(
                "'" + text + "' is neither a telephone number (+ and 5 to " + DIGITS_MAX + " digits, or 3 to "
                        + DIGITS_MAX + " digits) nor a name of up to " + NAME_MAX + " letters and digits");
    }

    /** Returns the number without the sign that some clients write before an international one. */
    public String digits() {
        return number.startsWith("+") ? number.substring(1) : number;
    }

    /** Returns whether this is a name, which cannot get messages. */
    public boolean isName() {
        return ton == TON_ALPHANUMERIC;
    }
}
