package io.georep.spring.boot.actuate.console;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the console knows as of one moment, as JSON, because it is written once and read often. Immutable.
 *
 * @param at seconds since 1970
 * @param items JSON of each item, by its key
 */
record ConsoleState(double at, Map<String, String> items) {
    private static final double MILLIS = 1000;

    static ConsoleState of(Map<String, Object> items, long atMillis) {
        Map<String, String> written = new LinkedHashMap<>();
        items.forEach((key, item) -> written.put(key, JacksonText.of(item)));
        return new ConsoleState(atMillis / MILLIS, written);
    }

    /** Returns all of it. */
    String json() {
        return json(items, null);
    }

    /** Returns what turns another state into this one. */
    String jsonSince(ConsoleState before) {
        Map<String, String> changed = new LinkedHashMap<>();
        items.forEach((key, item) -> {
            if (!item.equals(before.items.get(key))) {
                changed.put(key, item);
            }
        });
        List<String> gone = new ArrayList<>(before.items.keySet());
        gone.removeAll(items.keySet());
        return json(changed, gone);
    }

    private String json(Map<String, String> some, @Nullable List<String> gone) {
        StringBuilder json =
                new StringBuilder("{\"at\":").append(JacksonText.of(at)).append(",\"items\":{");
        String separator = "";
        for (Map.Entry<String, String> item : some.entrySet()) {
            json.append(separator)
                    .append(JacksonText.of(item.getKey()))
                    .append(':')
                    .append(item.getValue());
            separator = ",";
        }
        json.append('}');
        if (gone != null) {
            json.append(",\"gone\":").append(JacksonText.of(gone));
        }
        return json.append('}').toString();
    }

    /** Returns a server-sent event with this text. */
    static byte[] event(String name, String json) {
        return ("event: " + name + "\ndata: " + json + "\n\n").getBytes(StandardCharsets.UTF_8);
    }
}
