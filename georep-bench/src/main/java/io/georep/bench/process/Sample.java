package io.georep.bench.process;

import java.util.Collections;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/** Named numbers of one process at one moment, or the difference of two moments. Immutable. */
public final class Sample {
    private final Map<String, Long> values;

    /** Numbers by their names. */
    public Sample(Map<String, Long> values) {
        this.values = Collections.unmodifiableMap(new TreeMap<>(values));
    }

    /** A number, 0 when it is not there. */
    public long get(String name) {
        return values.getOrDefault(name, 0L);
    }

    /** All numbers in the order of their names. */
    public Map<String, Long> values() {
        return values;
    }

    /** What changed since an earlier sample. */
    public Sample since(Sample earlier) {
        Map<String, Long> difference = new TreeMap<>();
        values.forEach((name, value) -> difference.put(name, value - earlier.get(name)));
        return new Sample(difference);
    }

    /** Sums by name. */
    public Sample plus(Sample other) {
        Map<String, Long> sums = new TreeMap<>(values);
        other.values.forEach((name, value) -> sums.merge(name, value, Long::sum));
        return new Sample(sums);
    }

    /** A text for {@link #parse}. */
    public String format() {
        StringJoiner text = new StringJoiner(";");
        values.forEach((name, value) -> text.add(name + "=" + value));
        return text.toString();
    }

    /** Reads what {@link #format} wrote. */
    public static Sample parse(String text) {
        Map<String, Long> values = new TreeMap<>();
        for (String part : text.split(";", -1)) {
            int equals = part.lastIndexOf('=');
            if (equals > 0) {
                values.put(part.substring(0, equals), Long.parseLong(part.substring(equals + 1)));
            }
        }
        return new Sample(values);
    }
}
