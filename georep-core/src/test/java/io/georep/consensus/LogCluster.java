package io.georep.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Members of a group in a world of one seed: links that are slow, cut, held up for seconds, or lose everything after a message; disks
 * that sync late; crashes; emptied stores; clocks at both ends of what the drift allows. Judges after each turn that all agree, that no
 * command is decided twice, and that a lease is what it says.
 */
final class LogCluster extends SlowLinks {
    static final long MILLI = 1_000_000;
    private static final boolean IS_TRACED = Boolean.getBoolean("trace");

    /** What every message takes longer between nodes. */
    long way;

    final LogTiming timing = new LogTiming(100 * MILLI, 1000 * MILLI, 50 * MILLI, 3000 * MILLI);
    final Random random;
    final List<NodeId> founders = new ArrayList<>();

    /** As all members know at their boots. */
    List<NodeId> learners = List.of();

    final TreeMap<NodeId, LogMember> members = new TreeMap<>();
    final TreeMap<Long, LogEntry> agreed = new TreeMap<>();
    private final Map<Slice, Long> slots = new HashMap<>();
    private final Map<NodeId, String> lines = new HashMap<>();
    long entriesSent;

    /** Takes what all members say, in the place of the links; null: nobody does. */
    Consumer<LogMessage> heard;

    /** Tells what happens; null: nobody does. */
    LogTranscript transcript;

    /** How late all disks sync; 0: as drawn. */
    long syncNanos;

    /** Under way. */
    private final Map<NodeId, ReplicatedLog> syncing = new HashMap<>();

    private long stores;

    LogCluster(long seed, int size) {
        random = new Random(seed);
        for (int i = 1; i <= size; i++) {
            founders.add(NodeId.of("n" + i));
        }
        founders.forEach(this::add);
    }

    LogMember add(NodeId id) {
        LogMember member = new LogMember(id, this, 0.975 + 0.025 * random.nextInt(3));
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
        member.alarm = new Alarm();
        member.boot(new Random(random.nextLong()));
        arm(member);
    }

    /** Timers are late by up to 10 ms. */
    private void arm(LogMember member) {
        ReplicatedLog log = member.log;
        long due = log.nextDeadlineNanos();
        if (due == Long.MAX_VALUE) {
            return;
        }
        at(Math.max(now, member.due(due)) + random.nextInt(10) * MILLI, member.alarm, () -> {
            if (member.log == log && log.nextDeadlineNanos() - member.now() <= 0) {
                member.turn(() -> {});
            } else if (member.log == log) {
                arm(member);
            }
        });
    }

    void crash(LogMember member) {
        if (random.nextBoolean()) {
            member.sync();
        }
        member.crash();
    }

    /** Crashes a member, and boots it before anybody has missed it. */
    void bounce(LogMember member) {
        member.crash();
        at(now + random.nextInt(50) * MILLI, () -> {
            if (!member.runs()) {
                boot(member);
            }
        });
    }

    /** After each turn of a member. */
    void turned(LogMember member) {
        judge();
        arm(member);
        tell(each -> each.ends(member));
        if (IS_TRACED) {
            String line = member.toString();
            if (!line.equals(lines.put(member.id, line))) {
                System.out.println(now / MILLI + line);
            }
        }
        ReplicatedLog log = member.log;
        if (!member.hasUnsynced()) {
            return;
        }
        if (member.fuse > 0 && --member.fuse == 0) {
            bounce(member);
            return;
        }
        long late = random.nextInt(50) == 0 ? 300 : random.nextInt(5);
        if (syncNanos > 0) {
            syncLate(member);
            return;
        }
        at(now + late * MILLI, () -> {
            if (member.log == log) {
                member.sync();
                arm(member);
            }
        });
    }

    /** One sync at a time, of what was written before it began. */
    private void syncLate(LogMember member) {
        ReplicatedLog log = member.log;
        if (syncing.get(member.id) == log) {
            return;
        }
        syncing.put(member.id, log);
        int count = member.unsynced();
        at(now + syncNanos, () -> {
            syncing.remove(member.id, log);
            if (member.log == log) {
                member.sync(count);
                arm(member);
                if (member.hasUnsynced()) {
                    syncLate(member);
                }
            }
        });
    }

    void tell(Consumer<LogTranscript> what) {
        if (transcript != null) {
            what.accept(transcript);
        }
    }

    void send(LogMember from, NodeId to, LogMessage message) {
        tell(each -> each.sends(from, to, message));
        if (isCut(from.id, to)) {
            return;
        }
        if (heard != null) {
            heard.accept(message);
            return;
        }
        Slice bytes = message.encode();
        judge(from, message, bytes.length());
        long delay = from.id.equals(to) ? 0 : (1 + random.nextInt(40)) * MILLI + way;
        carry(from.id, from.boots, to, delay, () -> {
            LogMember receiver = members.get(to);
            if (receiver.runs()) {
                receive(receiver, from.id, bytes);
            }
        });
    }

    /** What arrives at about the same time comes in one turn. */
    private void receive(LogMember receiver, NodeId from, Slice message) {
        if (receiver.arrived(from, message)) {
            ReplicatedLog log = receiver.log;
            at(now + random.nextInt(3) * MILLI, () -> {
                if (receiver.log == log) {
                    receiver.turn(receiver::readAll);
                }
            });
        }
    }

    /** The state of the application goes beside the log, as the application likes. */
    void transfer(LogMember from, NodeId to) {
        long slot = from.log.decided();
        Seats seats = from.log.seats();
        Map<Long, LogEntry> state = new TreeMap<>(from.executed);
        if (isCut(from.id, to)) {
            return;
        }
        at(now + 20 * MILLI, () -> {
            LogMember receiver = members.get(to);
            if (receiver.runs() && receiver.log.decided() < slot) {
                receiver.turn(() -> {
                    receiver.executed.putAll(state);
                    receiver.log.install(slot, seats);
                });
            }
        });
    }

    void decided(LogMember member, long slot, LogEntry entry) {
        LogEntry before = agreed.putIfAbsent(slot, entry);
        assertThat(before == null || before.equals(entry))
                .as("%s decides slot %d otherwise", member.id, slot)
                .isTrue();
        if (before == null && entry.kind() == LogEntry.COMMAND) {
            assertThat(slots.put(entry.body(), slot))
                    .as("the former slot of what is in %d", slot)
                    .isNull();
        }
    }

    /** What a member says of its store is durable, and fits into a message. */
    private void judge(LogMember from, LogMessage message, int bytes) {
        assertThat(bytes).as("bytes of a message").isLessThan(80_000);
        boolean isKept = true;
        if (message instanceof LogMessage.Prepare said) {
            isKept = said.probe() || from.disk.promised.compareTo(said.ballot()) >= 0;
        } else if (message instanceof LogMessage.Promise said) {
            isKept = said.probe() || from.disk.promised.compareTo(said.ballot()) >= 0;
        } else if (message instanceof LogMessage.Accepted said) {
            isKept = from.disk.promised.compareTo(said.ballot()) >= 0
                    && (said.matched() <= from.disk.base || from.disk.proposals.containsKey(said.matched()));
        } else if (message instanceof LogMessage.Accept said) {
            entriesSent += said.entries().size();
            isKept = said.held() <= from.disk.base || from.disk.proposals.containsKey(said.held());
        }
        assertThat(isKept).as("%s keeps its word in %s", message, from).isTrue();
    }

    private void judge() {
        long most = agreed.isEmpty() ? 0 : agreed.lastKey();
        LogMember holder = null;
        for (LogMember member : members.values()) {
            if (member.runs() && member.log.hasLease(member.now())) {
                assertThat(holder).as("%s has a lease too", member.id).isNull();
                assertThat(Math.max(member.log.decided(), member.log.shared()))
                        .as("%s has a lease in %s", member.id, this)
                        .isGreaterThanOrEqualTo(most);
                holder = member;
            }
        }
    }

    LogMember leader() {
        return members.values().stream()
                .filter(member -> member.runs() && member.log.hasLease(member.now()))
                .findFirst()
                .orElse(null);
    }

    /** Proposes at every member that leads, each something else. */
    void propose(String text) {
        for (LogMember member : members.values()) {
            if (member.runs() && member.log.leads()) {
                member.turn(() -> propose(member, text));
            }
        }
    }

    /** Every other slot is shared, with those before it. */
    private static void propose(LogMember member, String text) {
        long slot = member.log.propose(Slice.utf8(member.id + " " + text));
        if (slot > 0 && slot % 2 == 0) {
            member.log.share(slot);
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        members.values().forEach(text::append);
        return text.toString();
    }
}
