package io.georep.spring.boot;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * The keys of the properties, read from their records, with a {@code *} in place of the name of a queue. They are
 * compared as Boot binds them: without hyphens and capitals, and for variables of the environment with nothing between
 * words.
 */
final class KnownKeys {
    private static final String ANY = "*";

    private final List<List<String>> keys = new ArrayList<>();

    /** Below these, any key is allowed. */
    private final List<List<String>> free = new ArrayList<>();

    KnownKeys(String prefix, Class<?> properties) {
        add(List.of(prefix), properties);
    }

    private void add(List<String> path, Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            List<String> key = new ArrayList<>(path);
            key.add(component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
            if (component.getType().isRecord()) {
                add(key, component.getType());
            } else if (component.getType() == Map.class) {
                key.add(ANY);
                if (valueType(component) instanceof Class<?> settings) {
                    add(key, settings);
                } else {
                    free.add(key); // with keys of their own, which others check
                }
            } else {
                keys.add(key);
            }
        }
    }

    private static Type valueType(RecordComponent component) {
        return ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[1];
    }

    boolean has(ConfigurationPropertyName name) {
        return keys.stream().anyMatch(key -> is(key, name))
                || free.stream()
                        .anyMatch(key -> name.getNumberOfElements() > key.size() && is(key, name.chop(key.size())));
    }

    private static boolean is(List<String> key, ConfigurationPropertyName name) {
        int length = name.getNumberOfElements();
        while (length > key.size() && name.isNumericIndex(length - 1)) {
            length--; // an element of a list, or of a list in it
        }
        if (length != key.size()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            String word = key.get(i);
            if (!word.equals(ANY) && !joined(word).equals(name.getElement(i, Form.UNIFORM))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether a variable of the environment may mean a key. In such a variable, the same sign stands between
     * words and between keys.
     */
    boolean hasVariable(ConfigurationPropertyName name) {
        String text = joined(name.toString());
        return keys.stream().anyMatch(key -> text.matches(pattern(key) + "[0-9]*"))
                || free.stream().anyMatch(key -> text.matches(pattern(key)));
    }

    private static String pattern(List<String> key) {
        StringBuilder pattern = new StringBuilder();
        key.forEach(word -> pattern.append(word.equals(ANY) ? ".+" : Pattern.quote(joined(word))));
        return pattern.toString();
    }

    /** Returns the key that somebody may have meant; null if none is similar. */
    @Nullable
    String nearest(ConfigurationPropertyName name) {
        String last = name.getLastElement(Form.UNIFORM);
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < name.getNumberOfElements(); i++) {
            elements.add(name.getElement(i, Form.UNIFORM));
        }
        for (List<String> key : keys) {
            int star = key.indexOf(ANY);
            int rest = elements.size() - key.size();
            if (star > 0
                    && rest > 0
                    && elements.get(star - 1).equals(joined(key.get(star - 1)))
                    && ends(key, elements)) {
                // A name of a queue with dots, which Boot takes for several keys.
                String queue = name.subName(star).chop(rest + 1).toString();
                return String.join(".", key.subList(0, star)) + "[" + queue + "]."
                        + String.join(".", key.subList(star + 1, key.size()));
            }
        }
        String wanted = String.join(".", elements);
        return keys.stream()
                .map(key -> filled(key, elements))
                .filter(key -> distance(joinedKey(key), wanted) <= Math.max(2, wanted.length() / 6)
                        || joined(key.get(key.size() - 1)).equals(last))
                .min(Comparator.comparingInt(key -> distance(joinedKey(key), wanted)))
                .map(key -> String.join(".", key))
                .orElse(null);
    }

    private static boolean ends(List<String> key, List<String> elements) {
        int tail = key.size() - key.indexOf(ANY) - 1;
        for (int i = 1; i <= tail; i++) {
            if (!joined(key.get(key.size() - i)).equals(elements.get(elements.size() - i))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the key with the name of the queue that the given key has at that place. */
    private static List<String> filled(List<String> key, List<String> elements) {
        List<String> filled = new ArrayList<>(key);
        int star = key.indexOf(ANY);
        if (star >= 0) {
            filled.set(star, star < elements.size() ? elements.get(star) : "<queue>");
        }
        return filled;
    }

    private static String joinedKey(List<String> key) {
        return String.join(".", key.stream().map(KnownKeys::joined).toList());
    }

    private static String joined(String words) {
        return words.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    /** Returns how many letters must be inserted, deleted or replaced to make one text of the other. */
    static int distance(String one, String other) {
        int[] before = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            before[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] now = new int[other.length() + 1];
            now[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(replaced, 1 + Math.min(before[j], now[j - 1]));
            }
            before = now;
        }
        return before[other.length()];
    }
}
