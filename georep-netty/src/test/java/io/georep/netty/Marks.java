package io.georep.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** Texts that must not be seen, and where they were. Thread-safe. */
final class Marks {
    private static final String MARK = "zq7xwk9j";
    private static final List<String> FORMS = forms();

    private final Set<String> found = new TreeSet<>();

    /** A text to give away. */
    static String text(String what) {
        return MARK + " " + what;
    }

    /** Looks at what a thing prints; of an exception at everything that a log would print. */
    synchronized void look(Object thing) {
        String text = String.valueOf(thing);
        if (thing instanceof Throwable error) {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace));
            text = trace.toString();
        }
        for (String line : text.split("\n", -1)) {
            String lower = line.toLowerCase(Locale.ROOT);
            if (FORMS.stream()
                    .anyMatch(form ->
                            form.equals(form.toLowerCase(Locale.ROOT)) ? lower.contains(form) : line.contains(form))) {
                found.add(thing.getClass().getSimpleName() + ": " + line);
            }
        }
    }

    /** Looks at the error that this must end with. */
    void fails(Callable<?> call) {
        Throwable error = null;
        try {
            call.call();
        } catch (Throwable e) {
            error = e;
        }
        assertThat(error).as("error").isNotNull();
        look(error);
    }

    /** What showed a mark. */
    synchronized Set<String> found() {
        return new TreeSet<>(found);
    }

    /** The mark as text, in hexadecimal digits, in Base64 wherever it begins, and as bytes that are listed. */
    private static List<String> forms() {
        byte[] bytes = MARK.getBytes(US_ASCII);
        List<String> forms = new ArrayList<>(List.of(MARK, HexFormat.of().formatHex(bytes)));
        String list = Arrays.toString(bytes);
        forms.add(list.substring(1, list.length() - 1));
        for (int offset = 0; offset < 3; offset++) {
            byte[] shifted = new byte[offset + bytes.length];
            System.arraycopy(bytes, 0, shifted, offset, bytes.length);
            String text = Base64.getEncoder().withoutPadding().encodeToString(shifted);
            // The first characters depend on what stands before, the last on what follows.
            forms.add(text.substring(offset == 0 ? 0 : 4, text.length() - 1));
        }
        return forms;
    }
}
