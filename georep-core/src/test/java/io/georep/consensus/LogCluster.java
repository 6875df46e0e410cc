package io.georep.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Members of a group in a world of one seed: links that are slow, cut, or lose everything after a message; disks that sync late; crashes;
 * emptied stores; clocks of unlike pace. Judges after each turn that all agree, and that a lease is what it says.
 */
final class LogCluster {
    static final long MILLI = 1_000_000;

    private record Event(long at, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    final LogTiming timing = new LogTiming(100 * MILLI, 1000 * MILLI, 50 * MILLI, 3000 * MILLI);
    final Random random;
    final List<NodeId> founders = new ArrayList<>();
    final TreeMap<NodeId, LogMember> members = new TreeMap<>();
    final TreeMap<Long, LogEntry> agreed = new TreeMap<>();
    final Set<String> cut = new HashSet<>();
    private final Map<String, Long> arrives = new HashMap<>();
    private final Map<String, Long> generation = new HashMap<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    final Map<NodeId, String> lines = new HashMap<>();
    long now;
    private long numbers;
    private long stores;

    LogCluster(long seed, int size) {
        random = new Random(seed);
        for (int i = 1; i <= size; i++) {
            founders.add(NodeId.of("n" + i));
        }
        founders.forEach(this::add);
    }

    LogMember add(NodeId id) {
        LogMember member = new LogMember(id, this, 1 + (random.nextDouble() - 0.5) * 0.02);
        members.put(id, member);
        empty(member);
        return member;
    }

    /** A new store, and a boot on it. */
    void empty(LogMember member) {
        member.disk = new LogMember.Disk(++stores, Seats.founders(founders));
        boot(member);
    }

    void boot(LogMember member) {
        member.boot(new Random(random.nextLong()));
        tick(member, member.log);
    }

    private void tick(LogMember member, ReplicatedLog log) {
        if (member.log != log) {
            return;
        }
        if (log.nextDeadlineNanos() - member.now() <= 0) {
            member.turn(() -> {});
            flushLater(member);
        }
        at(now + 10 * MILLI, () -> tick(member, log));
    }

    void crash(LogMember member) {
        if (random.nextBoolean()) {
            member.sync();
        }
        member.crash();
    }

    private void flushLater(LogMember member) {
        ReplicatedLog log = member.log;
        if (member.hasUnsynced()) {
            long late = random.nextInt(50) == 0 ? 300 : random.nextInt(5);
            at(now + late * MILLI, () -> {
                if (member.log == log) {
                    member.sync();
                }
            });
        }
    }

    void at(long time, Runnable action) {
        events.add(new Event(time, numbers++, action));
    }

    void send(NodeId from, NodeId to, LogMessage message) {
        String way = from + ">" + to;
        if (cut.contains(way)) {
            return;
        }
        long delay = from.equals(to) ? 0 : (1 + random.nextInt(40)) * MILLI;
        long time = Math.max(now + delay, arrives.getOrDefault(way, 0L));
        arrives.put(way, time);
        long sent = generation.getOrDefault(way, 0L);
        at(time, () -> {
            LogMember receiver = members.get(to);
            if (receiver.runs() && sent == generation.getOrDefault(way, 0L)) {
                receiver.receive(from, message);
                flushLater(receiver);
            }
        });
    }

    /** What is under way is lost. */
    void breakLink(NodeId from, NodeId to) {
        generation.merge(from + ">" + to, 1L, Long::sum);
    }

    /** The state of the application goes beside the log, as the application likes. */
    void transfer(LogMember from, NodeId to) {
        long slot = from.log.decided();
        Seats seats = from.log.seats();
        Map<Long, LogEntry> state = new TreeMap<>(from.executed);
        if (cut.contains(from.id + ">" + to)) {
            return;
        }
        at(now + 20 * MILLI, () -> {
            LogMember receiver = members.get(to);
            if (receiver.runs() && receiver.log.decided() < slot) {
                receiver.turn(() -> {
                    receiver.executed.putAll(state);
                    receiver.log.install(slot, seats);
                });
                flushLater(receiver);
            }
        });
    }

    void decided(LogMember member, long slot, LogEntry entry) {
        LogEntry before = agreed.putIfAbsent(slot, entry);
        assertThat(before == null || before.equals(entry))
                .as("%s decides slot %d otherwise", member.id, slot)
                .isTrue();
    }

    void judge(LogMember member) {
        if (Boolean.getBoolean("trace")) {
            String line = member.id + " " + member.log + (member.log.hasLease(member.now()) ? " LEASE" : "");
            if (!line.equals(lines.put(member.id, line))) {
                System.out.println(now / MILLI + " " + line);
            }
        }
        if (member.log.hasLease(member.now())) {
            long most = agreed.isEmpty() ? 0 : agreed.lastKey();
            assertThat(member.log.decided())
                    .as("%s has a lease in %s", member.id, this)
                    .isGreaterThanOrEqualTo(most);
            for (LogMember other : members.values()) {
                assertThat(other != member && other.runs() && other.log.hasLease(other.now()))
                        .as("%s and %s have leases", member.id, other.id)
                        .isFalse();
            }
        }
    }

    void run(long nanos) {
        long end = now + nanos;
        while (!events.isEmpty() && events.peek().at <= end) {
            Event event = events.poll();
            now = Math.max(now, event.at);
            event.action.run();
        }
        now = end;
    }

    LogMember leader() {
        return members.values().stream()
                .filter(member -> member.runs() && member.log.hasLease(member.now()))
                .findFirst()
                .orElse(null);
    }

    /** Proposes at every member that leads. */
    void propose(String text) {
        for (LogMember member : members.values()) {
            if (member.runs() && member.log.leads()) {
                member.turn(() -> member.log.propose(Slice.utf8(text)));
                flushLater(member);
            }
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        members.values()
                .forEach(member -> text.append("\n  ")
                        .append(member.id)
                        .append(" on store ")
                        .append(member.disk.number)
                        .append(": ")
                        .append(member.log));
        return text.toString();
    }
}
