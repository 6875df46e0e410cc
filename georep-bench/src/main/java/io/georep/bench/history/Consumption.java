package io.georep.bench.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Whether processes stayed within bounds that no accident changes: resident memory, open files and sockets, lines of log. One
 * finding for each node and bound. Used by one thread.
 */
public final class Consumption {
    /** A heap of at most 192 MiB, and as much again for threads, code, buffers and the store. Rounds take up to 210 MiB. */
    static final long RESIDENT_MAX = 384L << 20;

    /** The files of a store, and a few sockets for each of at most nine nodes. Rounds take up to 100. */
    static final int DESCRIPTORS_MAX = 256;

    /** Over {@link #WINDOW_MICROS}. An accident with nine nodes may change what a node sees of all others. Rounds write up to 31. */
    static final long LOG_LINES_MAX = 100;

    static final long WINDOW_MICROS = 10_000_000;

    private final List<Finding> findings;
    private final Map<String, Deque<Event.Used>> windows = new HashMap<>();
    private final Set<String> found = new HashSet<>();

    Consumption(List<Finding> findings) {
        this.findings = findings;
    }

    /** Returns a finding for each node and bound that was exceeded. */
    public static List<Finding> judge(List<Event> events) {
        List<Finding> findings = new ArrayList<>();
        Consumption consumption = new Consumption(findings);
        for (Event event : events) {
            if (event instanceof Event.Used used) {
                consumption.judge(used);
            }
        }
        return findings;
    }

    void judge(Event.Used used) {
        compare(used, "bytes of memory", used.residentBytes(), RESIDENT_MAX);
        compare(used, "descriptors", used.descriptors(), DESCRIPTORS_MAX);
        Deque<Event.Used> window = windows.computeIfAbsent(used.node(), node -> new ArrayDeque<>());
        window.add(used);
        while (used.at() - window.getFirst().at() > WINDOW_MICROS) {
            window.remove();
        }
        compare(
                used,
                "lines of log within 10 s",
                used.logLines() - window.getFirst().logLines(),
                LOG_LINES_MAX);
    }

    private void compare(Event.Used used, String what, long amount, long most) {
        if (amount > most && found.add(used.node() + what)) {
            findings.add(new Finding(
                    Finding.Kind.EXCESS,
                    String.format(
                            Locale.ROOT,
                            "%s (process %d) took %,d %s; at most %,d are right",
                            used.node(),
                            used.process(),
                            amount,
                            what,
                            most)));
        }
    }
}
