package io.georep.examples.sms;

/** Text of strangers, made fit for a log or a terminal. */
public final class Printable {
    private Printable() {}

    /** The same text, with everything that is not visible as {@code \}{@code u000a}: a line break would forge a line. */
    public static String of(String text) {
        if (text.chars().allMatch(Printable::visible)) {
            return text;
        }
        StringBuilder printable = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (visible(each)) {
                printable.append(each);
            } else {
                printable.append(String.format("\\u%04x", (int) each));
            }
        }
        return printable.toString();
    }

    private static boolean visible(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
