package io.georep.funnel.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * The write path of the paper for one key, without the protocol: every member is a head, heads send to everybody, members report to
 * the tail what they received, directly or through another member. Links keep the order, their delays vary.
 */
final class OrderModel {
    /** A write. */
    static final class Written implements CommitOrder.Candidate {
        final int number;
        final int head;
        final long clock;
        final long[] counters;
        final long issuedAt;
        long everywhereAt;
        final long[] reported;
        int reports;

        Written(int number, int head, long clock, int members, long at) {
            this.number = number;
            this.head = head;
            this.clock = clock;
            this.issuedAt = at;
            counters = new long[members];
            reported = new long[members];
            Arrays.fill(reported, -1);
        }

        /** One with all counters known. */
        static Written of(int head, long clock, long... counters) {
            Written written = new Written(0, head, clock, counters.length, 0);
            for (int member = 0; member < counters.length; member++) {
                written.reported[member] = counters[member];
            }
            written.reports = counters.length;
            return written;
        }

        @Override
        public int head() {
            return head;
        }

        @Override
        public long clock() {
            return clock;
        }

        @Override
        public boolean complete() {
            return reports == reported.length;
        }

        @Override
        public long counter(int member) {
            return reported[member];
        }

        @Override
        public String toString() {
            return "write " + number + " of r" + head + " " + Arrays.toString(counters) + " at clock " + clock;
        }
    }

    private record Report(int member, Written write, long counter, int number) {}

    private record Event(long at, long sequence, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(sequence, other.sequence);
        }
    }

    final List<Written> writes = new ArrayList<>();
    private final List<Report> atTail = new ArrayList<>();
    private final int members;
    private final boolean isRouted;
    private final SplittableRandom random;
    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private final long[][] delay;
    private final long[][] free;
    private final long[] counter;
    private final long[] clock;
    private final int[] reportsOf;
    private long sequence;

    OrderModel(long seed, int members, int count, boolean isRouted) {
        this.members = members;
        this.isRouted = isRouted;
        random = new SplittableRandom(seed);
        delay = new long[members][members];
        free = new long[members][members];
        counter = new long[members];
        clock = new long[members];
        reportsOf = new int[members];
        for (long[] row : delay) {
            Arrays.setAll(row, i -> 1_000 + random.nextLong(9_000));
        }
        for (int i = 0; i < count; i++) {
            int number = i;
            at(random.nextLong(10_000), () -> issue(number, random.nextInt(members)));
        }
        for (Event event = queue.poll(); event != null; event = queue.poll()) {
            now = event.at;
            event.action.run();
        }
    }

    private long now;

    private void at(long time, Runnable action) {
        queue.add(new Event(time, sequence++, action));
    }

    private void send(int from, int to, Runnable action) {
        if (from == to) {
            at(now, action);
            return;
        }
        long due = now + delay[from][to] * (80 + random.nextLong(40)) / 100;
        free[from][to] = Math.max(due, free[from][to] + 1);
        at(free[from][to], action);
    }

    private void issue(int number, int head) {
        counter[head]++;
        clock[head]++;
        Written write = new Written(number, head, clock[head], members, now);
        writes.add(write);
        receive(write, head);
        for (int to = 0; to < members; to++) {
            int member = to;
            if (member != head) {
                send(head, member, () -> receive(write, member));
            }
        }
    }

    private void receive(Written write, int member) {
        clock[member] = Math.max(clock[member], write.clock);
        write.counters[member] = counter[member];
        write.everywhereAt = Math.max(write.everywhereAt, now);
        Report report = new Report(member, write, counter[member], ++reportsOf[member]);
        int tail = members - 1;
        int via = isRouted ? random.nextInt(members) : member;
        if (via == member) {
            send(member, tail, () -> atTail.add(report));
        } else {
            send(member, via, () -> send(via, tail, () -> atTail.add(report)));
        }
    }

    /** Returns how many reports came to the tail after a later one of the same member. */
    int overtakings() {
        int count = 0;
        int[] last = new int[members];
        for (Report report : atTail) {
            if (report.number < last[report.member]) {
                count++;
            }
            last[report.member] = Math.max(last[report.member], report.number);
        }
        return count;
    }

    /** Returns the writes in the order in which a tail commits them that processes the reports as they came, or in number order. */
    List<Written> commits(CommitOrder order, boolean isInOrder) {
        long[] promised = new long[members];
        List<Written> committed = new ArrayList<>();
        List<Written> known = new ArrayList<>();
        for (Written write : writes) {
            Arrays.fill(write.reported, -1);
            write.reports = 0;
        }
        for (Report report : isInOrder ? inOrder() : atTail) {
            Written write = report.write;
            if (write.reports == 0) {
                known.add(write);
            }
            write.reported[report.member] = report.counter;
            write.reports++;
            promised[report.member] = Math.max(promised[report.member], report.counter);
            for (Written next = order.next(known, member -> promised[member]);
                    next != null;
                    next = order.next(known, member -> promised[member])) {
                known.remove(next);
                committed.add(next);
            }
        }
        return committed;
    }

    private List<Report> inOrder() {
        List<Report> processed = new ArrayList<>();
        int[] last = new int[members];
        Map<Integer, ArrayDeque<Report>> held = new HashMap<>();
        for (Report report : atTail) {
            ArrayDeque<Report> waiting = held.computeIfAbsent(report.member, member -> new ArrayDeque<>());
            waiting.add(report);
            for (boolean found = true; found; ) {
                found = false;
                for (Report each : List.copyOf(waiting)) {
                    if (each.number == last[each.member] + 1) {
                        last[each.member]++;
                        waiting.remove(each);
                        processed.add(each);
                        found = true;
                    }
                }
            }
        }
        return processed;
    }
}
