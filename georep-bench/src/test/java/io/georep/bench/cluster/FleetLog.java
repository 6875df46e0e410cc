package io.georep.bench.cluster;

import io.georep.flagons.FleetPlace;
import io.georep.flagons.FleetResult;
import io.georep.flagons.core.Event;
import io.georep.flagons.core.OrderKey;
import io.georep.model.Slice;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges what happened to a fleet of real nodes, from the files of its {@link FleetHost}s: the rules D1 to D5, D9, D10 and D12 of
 * the page, as far as clients and the order of deliveries show them.
 */
final class FleetLog {
    /** Until then a node that joins is not in the views of others. */
    private static final long GROWN_MILLIS = 6_000;

    private static final long SETTLED_MILLIS = 6_000;

    /** Of the time of all hosts; see {@link io.georep.bench.process.Standstill}. */
    private static final double STOOD_MAX = 0.05;

    static final String NONE = "null";
    static final String MAP = "bench";

    /** The last line of a host that has ended by itself. */
    static final String END = "end";

    /** A node from its start to its end. */
    private static final class Life {
        long born;
        String address = NONE;
        long died = Long.MAX_VALUE;
        OrderKey last = OrderKey.FIRST;
        final Set<OrderKey> delivered = new HashSet<>();
    }

    private record Made(String origin, String request, String kind, String key, String value) {
        boolean puts() {
            return kind.startsWith("PUT");
        }
    }

    private record Asked(long at, String kind, String key, String value) {}

    private record Told(long at, String status, OrderKey place, OrderKey version) {}

    private final Map<String, Life> lives = new HashMap<>();
    private final TreeMap<OrderKey, Made> made = new TreeMap<>();
    private final Map<String, Asked> asked = new HashMap<>();
    private final Map<String, Told> told = new HashMap<>();
    /** Of the order, which holds whatever happens. */
    final List<String> violations = new ArrayList<>();

    /** What is only as sure as that a node hears of everything in time. */
    final List<String> wrong = new ArrayList<>();

    long pairs;
    long holes;
    long unsure;
    long failed;
    long answered;
    long wrongGets;
    long gets;
    long latency;
    long replaced;

    /** Hosts made no progress for so long, while there were operations. */
    private long stoodMillis;

    /** So long there were operations, the times of all hosts together. */
    private long lookedMillis;

    /** Hosts that were killed: what they did last is not in their files. */
    int cut;

    /** When something happened last in the file that is read. */
    private long latest;

    private static Path file(Path directory, int host) {
        return directory.resolve("host-" + host + ".log");
    }

    /**
     * Returns a writer of the file of a host. Its file is no channel: the first thread that is interrupted while it writes would close it,
     * and all that comes later, of any thread, would be missing.
     */
    static PrintWriter writer(Path directory, int host) throws IOException {
        return new PrintWriter(new BufferedWriter(new OutputStreamWriter(
                new FileOutputStream(file(directory, host).toFile()), StandardCharsets.UTF_8)));
    }

    private static String text(@Nullable Slice slice, int from) {
        return slice == null ? NONE : new String(slice.toArray(), from, slice.length() - from, StandardCharsets.UTF_8);
    }

    /** The key of an event has the name of the map before it, with its length. */
    static String words(Event event) {
        return event.key().time() + " " + event.key().source() + " "
                + event.origin().address() + " "
                + event.operation().request().client() + ":"
                + event.operation().request().number() + " "
                + event.operation().kind() + " " + text(event.operation().key(), 1 + MAP.length()) + " "
                + text(event.operation().value(), 0);
    }

    private static String words(FleetPlace place) {
        return place.time() + " " + place.source();
    }

    static String words(@Nullable FleetResult<String> result, @Nullable Throwable error) {
        if (result == null) {
            return "FAILED " + String.valueOf(error).replace(' ', '_');
        }
        return result.status() + " " + words(result.place()) + " " + words(result.version());
    }

    /** Reads the files of so many hosts and judges. */
    static FleetLog judged(Path directory, int hosts) throws IOException {
        FleetLog log = new FleetLog();
        for (int host = 0; host < hosts; host++) {
            log.read(file(directory, host), host + "-");
        }
        log.judge();
        return log;
    }

    /** Reads a file. If its host was killed, the end of the last line may be missing, and its nodes have ended when it wrote last. */
    private void read(Path file, String names) throws IOException {
        latest = 0;
        String end = "";
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            String line = lines.readLine();
            while (line != null) {
                String next = lines.readLine();
                end = line;
                if (next != null || line.equals(END)) {
                    read(line.split(" "));
                }
                line = next;
            }
        }
        if (end.equals(END)) {
            return;
        }
        cut++;
        lives.forEach((name, life) -> {
            if (name.startsWith(names) && life.died == Long.MAX_VALUE) {
                life.died = latest;
            }
        });
    }

    private long time(String word) {
        long time = Long.parseLong(word);
        latest = Math.max(latest, time);
        return time;
    }

    private void read(String[] words) {
        switch (words[0]) {
            case "born" -> {
                life(words[1]).born = time(words[2]);
                life(words[1]).address = words[3];
            }
            case "died", "last" -> {
                life(words[1]).died = time(words[2]);
                replaced += words[0].equals("died") ? 1 : 0;
            }
            case "has" ->
                delivered(words[1], place(words, 2), new Made(words[4], words[5], words[6], words[7], words[8]));
            case "asked" -> asked.put(words[1], new Asked(time(words[2]), words[3], words[4], words[5]));
            case "told" -> told(words);
            case "stood" -> {
                stoodMillis += Long.parseLong(words[2]);
                lookedMillis += Long.parseLong(words[3]);
            }
            case END -> {}
            default -> failed++;
        }
    }

    /** Returns whether nodes had too little of the machine to hear of things in time. */
    boolean isStarved() {
        return stoodMillis > STOOD_MAX * lookedMillis;
    }

    private void told(String[] words) {
        long at = time(words[2]);
        if (words[3].equals("FAILED")) {
            failed++;
        } else if (words[3].equals("UNSURE")) {
            unsure++;
        } else {
            told.put(words[1], new Told(at, words[3], place(words, 4), place(words, 6)));
        }
    }

    private static OrderKey place(String[] words, int index) {
        return new OrderKey(Long.parseLong(words[index]), Long.parseLong(words[index + 1]));
    }

    private static long millis(OrderKey place) {
        return place.time() >> 16;
    }

    private Life life(String name) {
        return lives.computeIfAbsent(name, each -> new Life());
    }

    private void violation(String what) {
        if (violations.size() < 20) {
            violations.add(what);
        }
    }

    private void wrong(String what) {
        if (wrong.size() < 20) {
            wrong.add(what);
        }
    }

    private void delivered(String name, OrderKey place, Made event) {
        Life life = life(name);
        if (place.compareTo(life.last) <= 0) {
            violation("D2 D3 node " + name + " delivers " + place + " after " + life.last);
        }
        life.last = place;
        life.delivered.add(place);
        Made before = made.putIfAbsent(place, event);
        if (before != null && !(before.key.equals(event.key) && before.value.equals(event.value))) {
            violation("D1 two events in place " + place);
        }
    }

    private void judge() {
        Set<String> values = new HashSet<>();
        asked.values().forEach(each -> values.add(each.value));
        made.forEach((place, event) -> {
            if (event.puts() && !values.contains(event.value)) {
                violation("D1 nobody asked for " + event.value + " at " + place);
            }
            judgeDelivery(place, event);
        });
        Map<String, NavigableMap<OrderKey, Made>> writes = writes();
        told.forEach((request, outcome) -> judge(asked.get(request), outcome, writes));
        judgeTimes();
    }

    /** D4 and D5. */
    private void judgeDelivery(OrderKey place, Made event) {
        lives.forEach((name, life) -> {
            boolean isOwn = life.address.equals(event.origin) && life.born <= millis(place);
            boolean isThere = isOwn || life.born + GROWN_MILLIS <= millis(place);
            if (isThere && life.died > millis(place) + SETTLED_MILLIS) {
                pairs++;
                holes += life.delivered.contains(place) ? 0 : 1;
                if (isOwn && !life.delivered.contains(place)) {
                    wrong("D4 node " + name + " has not delivered its own " + place);
                }
            }
        });
    }

    /** The operations with an effect, by key. */
    private Map<String, NavigableMap<OrderKey, Made>> writes() {
        Set<String> requests = new HashSet<>();
        Map<String, NavigableMap<OrderKey, Made>> writes = new HashMap<>();
        made.forEach((place, event) -> {
            var its = writes.computeIfAbsent(event.key, key -> new TreeMap<>());
            boolean isVoid = event.kind.equals("PUT_IF_ABSENT")
                    && !its.isEmpty()
                    && its.lastEntry().getValue().puts();
            // A request that was tried again counts at its first place.
            boolean isFirst = requests.add(event.request);
            if (!event.kind.equals("GET") && !isVoid && isFirst) {
                its.put(place, event);
            }
        });
        return writes;
    }

    private void judge(Asked question, Told answer, Map<String, NavigableMap<OrderKey, Made>> writes) {
        answered++;
        latency += answer.at - question.at;
        var its = writes.getOrDefault(question.key, new TreeMap<>());
        if (question.kind.equals("GET")) {
            gets++;
            var latest = its.floorEntry(answer.place);
            OrderKey version = latest == null ? OrderKey.FIRST : latest.getKey();
            if (!version.equals(answer.version)) {
                wrongGets++;
                wrong("D9 " + question.key + " at " + answer.place + " is of " + version + ", not " + answer);
            }
        } else if (answer.status.equals("APPLIED") != its.containsKey(answer.place)) {
            wrong("D10 " + question + " has another outcome than " + answer);
        }
    }

    private static OrderKey later(OrderKey a, OrderKey b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /** D12: what is asked after an acknowledgement comes behind it. */
    private void judgeTimes() {
        TreeMap<Long, OrderKey> acknowledged = new TreeMap<>();
        told.values().forEach(each -> acknowledged.merge(each.at, each.place, FleetLog::later));
        OrderKey[] largest = {OrderKey.FIRST};
        acknowledged.replaceAll((at, place) -> largest[0] = later(largest[0], place));
        told.forEach((request, outcome) -> {
            var before = acknowledged.lowerEntry(asked.get(request).at);
            if (before != null && before.getValue().compareTo(outcome.place) >= 0) {
                wrong("D12 " + request + " at " + outcome.place + " is not behind " + before.getValue());
            }
        });
    }

    double holeRate() {
        return holes / (double) Math.max(1, pairs);
    }

    @Override
    public String toString() {
        return String.format(
                "%d lives, %d replaced, %d hosts killed; %d asked, %d answered after %d ms, %d unsure, %d failed; %d gets, %d wrong; %d events,"
                        + " %d pairs, %d holes (%.1e); stood still for %d of %d ms; %s %s",
                lives.size(),
                replaced,
                cut,
                asked.size(),
                answered,
                latency / Math.max(1, answered),
                unsure,
                failed,
                gets,
                wrongGets,
                made.size(),
                pairs,
                holes,
                holeRate(),
                stoodMillis,
                lookedMillis,
                violations,
                wrong);
    }
}
