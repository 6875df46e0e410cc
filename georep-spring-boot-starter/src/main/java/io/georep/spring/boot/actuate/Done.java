package io.georep.spring.boot.actuate;

import java.util.LinkedHashMap;
import java.util.Map;

/** What an order did, told in this order by every JVM; that of {@link Map#of} differs from one to the next. */
final class Done {
    private Done() {}

    static Map<String, Object> of(String name, Object value, String otherName, Object otherValue) {
        Map<String, Object> done = new LinkedHashMap<>();
        done.put(name, value);
        done.put(otherName, otherValue);
        return done;
    }
}
