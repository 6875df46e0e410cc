package io.georep.bench.process;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Named options of a program, each with a value: {@code --seconds 15}. An option that nobody asked for is a mistake:
 * {@link #finish} names it. Not thread-safe.
 */
public final class Arguments {
    private final Map<String, String> values;
    private final TreeSet<String> known = new TreeSet<>();
    private final String prefix;

    private Arguments(Map<String, String> values, String prefix) {
        this.values = values;
        this.prefix = prefix;
    }

    /**
     * Reads {@code --name value} pairs.
     *
     * @throws IllegalArgumentException when a name or a value is missing or a name comes twice
     */
    public static Arguments parse(String... args) {
        Map<String, String> values = new TreeMap<>();
        for (int i = 0; i < args.length; i += 2) {
            if (!args[i].startsWith("--") || args[i].length() == 2) {
                throw new IllegalArgumentException("'" + args[i] + "' is not an option: write --name value");
            }
            if (i + 1 == args.length) {
                throw new IllegalArgumentException(args[i] + " has no value: write " + args[i] + " value");
            }
            if (values.put(args[i].substring(2), args[i + 1]) != null) {
                throw new IllegalArgumentException(args[i] + " is given twice: keep one");
            }
        }
        return new Arguments(values, "--");
    }

    /** Takes options from a map, for example of system properties; blank values count as not given. */
    public static Arguments of(Map<String, String> options, String prefix) {
        Map<String, String> values = new TreeMap<>();
        options.forEach((name, value) -> {
            if (!value.isBlank()) {
                values.put(name, value.strip());
            }
        });
        return new Arguments(values, prefix);
    }

    /** A text, or the default. */
    public String text(String name, String byDefault) {
        String value = value(name);
        return value == null ? byDefault : value;
    }

    /**
     * A text that must be there.
     *
     * @throws IllegalArgumentException when it is not
     */
    public String text(String name) {
        String value = value(name);
        if (value == null) {
            throw new IllegalArgumentException(prefix + name + " is missing");
        }
        return value;
    }

    /**
     * A whole number within bounds, or the default.
     *
     * @throws IllegalArgumentException when it is no number or out of bounds
     */
    public long number(String name, long byDefault, long min, long max) {
        String value = value(name);
        return value == null ? byDefault : number(name, value, min, max);
    }

    /** Like {@link #number}, for numbers that fit an {@code int}. */
    public int count(String name, int byDefault, int min, int max) {
        return (int) number(name, byDefault, min, max);
    }

    /** Whole numbers with commas between them, or the default. */
    public List<Integer> counts(String name, String byDefault, int min, int max) {
        List<Integer> numbers = new ArrayList<>();
        for (String part : texts(name, byDefault)) {
            numbers.add((int) number(name, part, min, max));
        }
        return numbers;
    }

    /** Texts with commas between them, or the default. */
    public List<String> texts(String name, String byDefault) {
        return Arrays.stream(text(name, byDefault).split(",", -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    /** One constant of an enum, in any case, or the default. */
    public <E extends Enum<E>> E choice(String name, Class<E> type, E byDefault) {
        String value = value(name);
        return value == null ? byDefault : choice(name, type, value);
    }

    /** Constants of an enum with commas between them, or the default. */
    public <E extends Enum<E>> List<E> choices(String name, Class<E> type, String byDefault) {
        return texts(name, byDefault).stream()
                .map(value -> choice(name, type, value))
                .toList();
    }

    /**
     * To be called after all options were asked for.
     *
     * @throws IllegalArgumentException when there are others
     */
    public void finish() {
        TreeSet<String> unknown = new TreeSet<>(values.keySet());
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    prefix + unknown.first() + " is unknown: there are " + prefix + String.join(", " + prefix, known));
        }
    }

    private @Nullable String value(String name) {
        known.add(name);
        return values.get(name);
    }

    private long number(String name, String value, long min, long max) {
        long number;
        try {
            number = Long.parseLong(value.replace("_", ""));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(prefix + name + " is '" + value + "', must be a whole number", e);
        }
        if (number < min || number > max) {
            throw new IllegalArgumentException(prefix + name + " is " + value + ", allowed are " + min + " to " + max);
        }
        return number;
    }

    private <E extends Enum<E>> E choice(String name, Class<E> type, String value) {
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equalsIgnoreCase(value)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(
                prefix + name + " is '" + value + "', allowed are " + Arrays.toString(type.getEnumConstants()));
    }
}
