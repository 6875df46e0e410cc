package io.georep.connect;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.common.config.ConfigException;

/**
 * A host with one port or several: {@code host:7400} or {@code host:7400-7409}. Tasks of one machine take one port each.
 *
 * @param first the first port, 0 for any that is free
 * @param last the last port, at least the first
 */
record AddressRange(String host, int first, int last) {
    private static final Pattern FORM = Pattern.compile("(.+):(\\d{1,5})(?:-(\\d{1,5}))?");
    private static final int PORT_MAX = 65_535;
    private static final int PORTS_MAX = 1_000;

    /**
     * Reads a text.
     *
     * @throws ConfigException if it has another form; the message names the setting
     */
    static AddressRange of(String setting, String text) {
        Matcher form = FORM.matcher(text.strip());
        if (form.matches()) {
            int first = Integer.parseInt(form.group(2));
            int last = form.group(3) == null ? first : Integer.parseInt(form.group(3));
            if (first <= last && last <= PORT_MAX && last - first < PORTS_MAX && (first > 0 || last == 0)) {
                return new AddressRange(form.group(1), first, last);
            }
        }
        throw new ConfigException(
                setting,
                text,
                "use host:port or host:first-last, with ports up to " + PORT_MAX + " and at most " + PORTS_MAX
                        + " of them, for example worker-1:7400-7409");
    }

    @Override
    public String toString() {
        return host + ":" + (first == last ? "" + first : first + "-" + last);
    }

    /** Returns all addresses, each as {@code host:port}. */
    List<String> addresses() {
        return IntStream.rangeClosed(first, last)
                .mapToObj(port -> host + ":" + port)
                .toList();
    }
}
