package io.georep.examples.sms.measure;

import java.util.Arrays;

/** Command lines. */
final class Arguments {
    private Arguments() {}

    /** What is left from this position on. */
    static String[] from(int position, String[] arguments) {
        return position >= arguments.length ? new String[0] : Arrays.copyOfRange(arguments, position, arguments.length);
    }
}
