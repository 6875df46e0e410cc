package io.georep.comparison;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** What a connector was told, in the order of the calls, and what a scenario keeps for it. Thread-safe. */
public final class Journal {
    private static final String PRE_COMMIT = "preCommit ";
    private static final Map<String, Journal> BY_CONNECTOR = new ConcurrentHashMap<>();
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<String> lines = new ArrayList<>();
    /** For what a script has to remember. */
    private final ConcurrentMap<String, Integer> counts = new ConcurrentHashMap<>();

    private final Script script;
    private long base = -1;

    private Journal(Script script) {
        this.script = script;
    }

    /** A new one for a connector of this name. */
    static Journal of(String connector, Script script) {
        Journal journal = new Journal(script);
        BY_CONNECTOR.put(connector, journal);
        return journal;
    }

    /** That of a connector; one nobody looks at, if there is none. */
    static Journal of(Map<String, String> settings) {
        return BY_CONNECTOR.getOrDefault(settings.getOrDefault("name", ""), new Journal(new Script() {}));
    }

    Script script() {
        return script;
    }

    /** Adds a line. */
    synchronized void tell(String line) {
        lines.add(line);
        notifyAll();
    }

    /**
     * A sink is asked how far it has flushed. Hosts ask now and then, also before the first record of a task that was started
     * again or went back, and between two attempts to put a record; what was asked last before is not written down again.
     */
    synchronized void tellPosition(long position) {
        boolean put = false;
        for (int i = lines.size() - 1; i >= 0; i--) {
            String line = lines.get(i);
            if (line.equals(PRE_COMMIT + position) || line.equals("start") && !put && lines.indexOf("start") < i) {
                return;
            }
            if (line.startsWith(PRE_COMMIT)) {
                if (!put && position < Long.parseLong(line.substring(PRE_COMMIT.length()))) {
                    return;
                }
                break;
            }
            put |= line.startsWith("put ");
        }
        tell(PRE_COMMIT + position);
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /** How often this was counted, with now. */
    int count(String what) {
        return counts.merge(what, 1, Integer::sum);
    }

    /** Offsets of the two hosts begin at different numbers. */
    synchronized void beginAt(long offset) {
        if (base < 0) {
            base = offset;
        }
    }

    /** The first one is 0. */
    synchronized long relative(long offset) {
        return offset - base;
    }

    synchronized long absolute(long relative) {
        return base + relative;
    }

    /** Waits for a line to be there so many times. */
    synchronized void await(String line, int times) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (lines.stream().filter(line::equals).count() < times) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new AssertionError("no '" + line + "' (" + times + " times) in " + lines);
            }
            wait(left);
        }
    }
}
