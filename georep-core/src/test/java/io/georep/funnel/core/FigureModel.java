package io.georep.funnel.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The write path as in the paper's measurements: every member has one uplink, over which what it sends leaves byte by byte, reports
 * before data; links have a delay. It has the messages and plans of the protocol and nothing else, so it runs fast enough for
 * minutes of saturation.
 */
final class FigureModel {
    private static final int REPORT_BYTES = 60;
    private static final int FRAME_BYTES = 80;

    /** What a member of a chain passes on before the rest has come. */
    private static final int PART_BYTES = 16 << 10;

    /** How writes travel. */
    enum Way {
        /** Chain replication: one head, to which clients elsewhere send first. */
        CHAIN,
        /** Every member is a head of its own clients and sends to all others. */
        STAR
    }

    private record Event(long at, long sequence, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(sequence, other.sequence);
        }
    }

    private record Frame(int to, int bytes, Runnable arrival) {}

    /** What a member sends, one frame at a time. */
    private final class Uplink {
        final ArrayDeque<Frame> reports = new ArrayDeque<>();
        final ArrayDeque<Frame> data = new ArrayDeque<>();
        double nanosPerByte;
        boolean isBusy;

        void next() {
            Frame frame = reports.isEmpty() ? data.poll() : reports.poll();
            isBusy = frame != null;
            if (frame != null) {
                after((long) (frame.bytes * nanosPerByte), () -> {
                    after(delayNanos, frame.arrival);
                    next();
                });
            }
        }
    }

    private final class Write {
        final int client;
        final long at = now;
        int reports;
        int arrived;

        Write(int client) {
            this.client = client;
        }
    }

    private final int members;
    private final int bytes;
    private final long delayNanos;
    private final Way way;
    private final Uplink[] uplinks;
    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private final List<Long> latencies = new ArrayList<>();
    private int writersEach;
    private long now;
    private long sequence;
    private long committed;
    private long end = Long.MAX_VALUE;

    /**
     * Creates it.
     *
     * @param bytes of a value
     * @param bytesPerSecond of each uplink
     */
    FigureModel(Way way, int members, int bytes, long delayNanos, long bytesPerSecond) {
        this.way = way;
        this.members = members;
        this.bytes = bytes;
        this.delayNanos = delayNanos;
        uplinks = new Uplink[members];
        Arrays.setAll(uplinks, i -> new Uplink());
        for (Uplink each : uplinks) {
            each.nanosPerByte = 1e9 / bytesPerSecond;
        }
    }

    /** Other traffic takes this share of a member's uplink. */
    FigureModel congested(int member, double share) {
        uplinks[member].nanosPerByte /= 1 - share;
        return this;
    }

    private void after(long nanos, Runnable action) {
        queue.add(new Event(now + nanos, sequence++, action));
    }

    private void send(int from, int to, boolean isReport, int size, Runnable arrival) {
        if (from == to) {
            after(0, arrival);
            return;
        }
        Uplink uplink = uplinks[from];
        (isReport ? uplink.reports : uplink.data).add(new Frame(to, size, arrival));
        if (!uplink.isBusy) {
            uplink.next();
        }
    }

    private void begin(Write write) {
        if (way == Way.CHAIN) {
            // The client's own uplink does not limit: it is another host.
            after(write.client == 0 ? 0 : delayNanos, () -> {
                for (int left = bytes; left > 0; left -= PART_BYTES) {
                    pass(write, Math.min(left, PART_BYTES), 0);
                }
            });
        } else {
            for (int to = 0; to < members; to++) {
                int member = to;
                send(write.client, member, false, FRAME_BYTES + bytes, () -> report(write, member));
            }
        }
    }

    /** Each part goes on at once; the tail has the write when it has as many bytes. */
    private void pass(Write write, int part, int member) {
        if (member < members - 1) {
            send(member, member + 1, false, FRAME_BYTES + part, () -> pass(write, part, member + 1));
        } else {
            write.arrived += part;
            if (write.arrived == bytes) {
                commit(write);
            }
        }
    }

    private void report(Write write, int member) {
        send(member, members - 1, true, REPORT_BYTES, () -> {
            if (++write.reports == members) {
                commit(write);
            }
        });
    }

    private void commit(Write write) {
        latencies.add(now - write.at);
        committed++;
        if (now < end && writersEach > 0) {
            // The answer goes back to the client.
            after(write.client == members - 1 ? 0 : delayNanos, () -> begin(new Write(write.client)));
        }
    }

    private void run() {
        for (Event event = queue.poll(); event != null && event.at <= end; event = queue.poll()) {
            now = event.at;
            event.action.run();
        }
    }

    /** Returns the mean time of one write at a time, over clients at all members. */
    double latencyMillis() {
        for (int client = 0; client < members; client++) {
            int from = client;
            begin(new Write(from));
            run();
        }
        return latencies.stream().mapToLong(Long::longValue).average().orElseThrow() / 1e6;
    }

    /** Returns the writes per second with so many writers at each member, who do one write after the other. */
    double writesPerSecond(int writers, long seconds) {
        writersEach = writers;
        end = seconds * 1_000_000_000;
        for (int client = 0; client < members; client++) {
            for (int i = 0; i < writers; i++) {
                begin(new Write(client));
            }
        }
        run();
        return (double) committed / seconds;
    }
}
