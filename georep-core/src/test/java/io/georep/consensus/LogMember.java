package io.georep.consensus;

import io.georep.codec.BinReader;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** One node of a {@link LogCluster}: a log, its store in two parts (written and durable), and what it has executed. */
final class LogMember implements LogOutlet {
    final Set<NodeId> elders = new TreeSet<>();
    final Set<NodeId> others = new TreeSet<>();

    /** Voters without their stores, as it was told last. */
    List<NodeId> lost = List.of();

    private record Mail<M>(NodeId other, M message) {}

    /** What is stored, as a crash may leave it. */
    static final class Disk {
        final long number;
        Ballot promised = Ballot.NONE;
        long base;
        long decided;
        Seats seats;
        final TreeMap<Long, Proposal> proposals = new TreeMap<>();
        TreeMap<Long, LogEntry> state = new TreeMap<>();
        Departure departure;

        Disk(long number, Seats seats) {
            this.number = number;
            this.seats = seats;
        }

        LogRecord record() {
            return new LogRecord(promised, base, seats, decided, List.copyOf(proposals.values()), departure);
        }
    }

    final NodeId id;
    final LogCluster cluster;
    final double pace;
    Disk disk;
    ReplicatedLog log;
    final TreeMap<Long, LogEntry> executed = new TreeMap<>();
    int boots;
    SlowLinks.Alarm alarm = new SlowLinks.Alarm();

    /** In how many turns that store something it crashes before they are durable; 0: in none. */
    int fuse;

    /** What was written and what waits for that, in order. */
    private final Deque<Runnable> unsynced = new ArrayDeque<>();

    private final List<Mail<Slice>> inbox = new ArrayList<>();

    LogMember(NodeId id, LogCluster cluster, double pace) {
        this.id = id;
        this.cluster = cluster;
        this.pace = pace;
    }

    /** The clock of this node. */
    long now() {
        return (long) (cluster.now * pace) + 1_000_000_000L;
    }

    /** Returns a time of the world at which the clock of this node shows as much. */
    long due(long nanos) {
        return (long) ((nanos - 1_000_000_000L) / pace) + 2;
    }

    boolean runs() {
        return log != null;
    }

    void boot(Random random) {
        boots++;
        executed.clear();
        executed.putAll(disk.state);
        log = new ReplicatedLog(
                new Seat(id, disk.number), cluster.timing, disk.record(), random::nextLong, this, now());
        log.learners(cluster.learners);
        for (long slot = log.base() + 1; slot <= log.decided(); slot++) {
            onDecided(slot, log.entry(slot));
        }
    }

    /** Loses what is not durable. */
    void crash() {
        log = null;
        unsynced.clear();
        inbox.clear();
        fuse = 0;
    }

    void turn(Runnable event) {
        event.run();
        log.endOfTurn(now());
        cluster.turned(this);
    }

    /** Makes durable what was written, and sends what waited for it. */
    void sync() {
        sync(unsynced.size());
    }

    /** The same of the first so many. */
    void sync(int count) {
        for (int left = count; left > 0 && !unsynced.isEmpty(); left--) {
            unsynced.poll().run();
        }
    }

    int unsynced() {
        return unsynced.size();
    }

    boolean hasUnsynced() {
        return !unsynced.isEmpty();
    }

    /** Returns whether nothing else has arrived since the last turn. */
    boolean arrived(NodeId from, Slice message) {
        inbox.add(new Mail<>(from, message));
        return inbox.size() == 1;
    }

    /** Through the encoding, as on the wire. */
    void readAll() {
        List<Mail<Slice>> mails = List.copyOf(inbox);
        inbox.clear();
        for (Mail<Slice> mail : mails) {
            LogMessage message = LogMessage.read(new BinReader(mail.message));
            cluster.tell(each -> each.says(this, mail.other, message));
            log.onMessage(mail.other, message, now());
        }
    }

    @Override
    public void send(NodeId to, LogMessage message) {
        cluster.send(this, to, message);
    }

    @Override
    public void whenDurable(Runnable action) {
        unsynced.add(action);
    }

    @Override
    public void storePromise(Ballot promised) {
        Disk to = disk;
        cluster.tell(each -> each.does(this, "store: promised " + promised));
        unsynced.add(() -> to.promised = promised);
    }

    @Override
    public void storeProposal(long slot, Proposal proposal) {
        Disk to = disk;
        unsynced.add(() -> to.proposals.put(slot, proposal));
    }

    @Override
    public void dropProposals(long after) {
        Disk to = disk;
        unsynced.add(() -> to.proposals.tailMap(after, false).clear());
    }

    @Override
    public void storeDeparture(Departure departure) {
        Disk to = disk;
        unsynced.add(() -> to.departure = departure);
    }

    @Override
    public void storeDecided(long slot) {
        Disk to = disk;
        unsynced.add(() -> to.decided = slot);
    }

    @Override
    public void storeBase(long slot, Seats seats) {
        Disk to = disk;
        TreeMap<Long, LogEntry> state = new TreeMap<>(executed.headMap(slot, true));
        cluster.tell(each -> each.does(this, "the state stands for the log up to slot " + slot));
        unsynced.add(() -> {
            to.state = state;
            to.base = slot;
            to.seats = seats;
            to.proposals.headMap(slot, true).clear();
        });
    }

    @Override
    public void onDecided(long slot, LogEntry entry) {
        executed.put(slot, entry);
        cluster.tell(each -> each.does(this, "decided " + slot + ": " + LogTranscript.text(entry)));
        cluster.decided(this, slot, entry);
    }

    @Override
    public void onOtherLog(NodeId member) {
        others.add(member);
    }

    @Override
    public void onStoresLost(List<NodeId> voters, NodeId elder) {
        lost = voters;
        if (elder != null) {
            elders.add(elder);
        }
    }

    @Override
    public void onBehind(NodeId member) {
        cluster.tell(each -> each.does(this, "to " + member + ": a state as of slot " + log.decided()));
        cluster.transfer(this, member);
    }

    @Override
    public String toString() {
        return "\n  " + id + " on store " + disk.number + ": " + log
                + (log != null && log.hasLease(now()) ? ", leased" : "");
    }
}
