package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.consensus.Ballot;
import io.georep.consensus.Departure;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogRecord;
import io.georep.consensus.Proposal;
import io.georep.consensus.Seats;
import io.georep.geopaxos.core.execution.Executor;
import io.georep.geopaxos.core.execution.Rules;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.geopaxos.core.messages.GeoMessage;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.GeoRecord;
import io.georep.geopaxos.core.messages.Operation;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/** One node of a {@link GeoCluster}, with its store in two parts: written and durable. */
final class GeoMember implements GeoOutlet {
    private record Mail(NodeId other, Slice message) {}

    /** What is durable of the log of a group. */
    static final class LogDisk {
        Ballot promised = Ballot.NONE;
        long base;
        long decided;
        Seats seats;
        final TreeMap<Long, Proposal> proposals = new TreeMap<>();
        Departure departure;

        LogDisk(Seats seats) {
            this.seats = seats;
        }

        LogRecord record() {
            return new LogRecord(promised, base, seats, decided, List.copyOf(proposals.values()), departure);
        }

        /** Whether the entry of a slot would be there after a crash of all nodes. */
        boolean holds(long slot) {
            return slot <= base || proposals.containsKey(slot);
        }
    }

    final NodeId id;
    final GeoCluster cluster;
    final double pace;
    final int place;
    final List<LogDisk> disk = new ArrayList<>();
    long store;
    Slice head;
    private final TreeMap<StatePiece.Name, Slice> pieces = new TreeMap<>();
    private final TreeMap<StatePiece.Name, Slice> staged = new TreeMap<>();

    /** What it may have held when it lost its store last: it need not hold that before it has caught up. */
    long[] lost = new long[GeoGroups.MAX];

    GeoPaxos node;
    GeoCluster.Alarm alarm = new GeoCluster.Alarm();
    LeafService service;
    private Rules rules;
    int boots;

    /** It never comes back. */
    boolean isGone;

    /** It has come back after groups have gone on without what it has: nothing that it says counts. */
    boolean isLeft;

    final TreeMap<Long, GeoEvent.Reason> refused = new TreeMap<>();

    /** Messages to others, and records that were written. */
    long sent;

    long stored;

    private final Deque<Runnable> unsynced = new ArrayDeque<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private final List<Mail> inbox = new ArrayList<>();

    GeoMember(NodeId id, GeoCluster cluster, double pace, int place) {
        this.id = id;
        this.cluster = cluster;
        this.pace = pace;
        this.place = place;
        empty();
    }

    boolean holds(int group, long slot) {
        return slot <= lost[group] || (disk.size() > group && disk.get(group).holds(slot));
    }

    /** It has a new store, and what it has said of the one before may come late. */
    void lose(long[] decided) {
        isLeft = false;
        lost = decided;
        for (int group = 0; group < disk.size(); group++) {
            TreeMap<Long, Proposal> held = disk.get(group).proposals;
            lost[group] = Math.max(lost[group], held.isEmpty() ? 0 : held.lastKey());
        }
        empty();
    }

    /** It has a new store. */
    void empty() {
        store = cluster.nextStore();
        disk.clear();
        cluster.founders.forEach(
                each -> disk.add(new LogDisk(LogRecord.empty(each).seats())));
        head = null;
        pieces.clear();
        staged.clear();
    }

    /** The clock of this node. */
    long now() {
        return (long) (cluster.now * pace) + 1_000_000_000L;
    }

    /** Returns a time of the world at which the clock of this node shows as much. */
    long due(long nanos) {
        return (long) ((nanos - 1_000_000_000L) / pace) + 2;
    }

    private List<StatePiece> pieces() {
        staged.clear();
        List<StatePiece> stored = new ArrayList<>();
        pieces.forEach((name, content) -> stored.add(new StatePiece(name, content)));
        return stored;
    }

    /** It rises, but for a clock that is set back now and then, for two boots. */
    private long incarnation() {
        return ((boots % 4 >= 2 ? 1L : boots) << 32) + boots;
    }

    boolean runs() {
        return node != null;
    }

    /** Whether it believes to have the lease of a group. */
    boolean isLeased() {
        for (int group = 0; group < node.groups(); group++) {
            if (rules.hasLease(node.log(group), now())) {
                return true;
            }
        }
        return false;
    }

    void boot(Random random, GeoGroups groups, Rules rules) {
        boots++;
        this.rules = rules;
        service = new LeafService();
        GeoRecord record = new GeoRecord(
                incarnation(),
                store,
                head,
                pieces(),
                disk.stream().map(LogDisk::record).toList());
        node = new GeoPaxos(id, groups, record, service, random::nextLong, this, rules, watching(), now());
    }

    private Executor.Listener watching() {
        if (isLeft) {
            return GeoPaxosProtocol.NOBODY;
        }
        Executor.Listener judge = cluster.judge.watching(id);
        return !cluster.everybodyAsksAgain ? judge : new AskingAgain(judge);
    }

    /** A5: asks again for what somebody else was asked for, as every replica of the paper does. */
    private final class AskingAgain implements Executor.Listener {
        private final Executor.Listener judge;

        AskingAgain(Executor.Listener judge) {
            this.judge = judge;
        }

        @Override
        public void done(Operation operation, long timestamp, Executor.Outcome outcome, Slice result) {
            judge.done(operation, timestamp, outcome, result);
            boolean isOthers = !operation.id().contact().equals(id) && operation.kind() == Operation.SERVICE;
            if (outcome == Executor.Outcome.UNCOVERED && isOthers) {
                GeoPaxos boot = node;
                cluster.at(cluster.now, () -> {
                    if (node == boot) {
                        turn(() -> boot.submit(
                                GeoCluster.CHANGE,
                                operation.client(),
                                operation.sequence(),
                                operation.acked(),
                                operation.body(),
                                now()));
                    }
                });
            }
        }

        @Override
        public void processes(int group, long slot, LogEntry entry) {
            judge.processes(group, slot, entry);
        }

        @Override
        public void restored() {
            judge.restored();
        }
    }

    /** Loses what is not durable. */
    void crash() {
        node = null;
        unsynced.clear();
        waiting.clear();
        inbox.clear();
    }

    void turn(Runnable event) {
        event.run();
        node.endOfTurn(now());
        cluster.turned(this);
    }

    /** Makes durable what was written, and sends what waited for it. */
    void sync() {
        cluster.stores(this);
        while (!unsynced.isEmpty()) {
            stored++;
            unsynced.poll().run();
        }
        List<Runnable> ready = List.copyOf(waiting);
        waiting.clear();
        turn(() -> ready.forEach(Runnable::run));
    }

    boolean hasUnsynced() {
        return !unsynced.isEmpty() || !waiting.isEmpty();
    }

    /** Returns whether nothing else has arrived since the last turn. */
    boolean arrived(NodeId from, Slice message) {
        inbox.add(new Mail(from, message));
        return inbox.size() == 1;
    }

    void readAll() {
        List<Mail> mails = List.copyOf(inbox);
        inbox.clear();
        for (Mail mail : mails) {
            BinReader in = new BinReader(mail.message);
            node.onMessage(mail.other, GeoMessage.read(in.u8(), in, cluster.founders.size()), now());
        }
    }

    @Override
    public void send(NodeId to, GeoMessage message) {
        assertThat(to).as("no link leads back").isNotEqualTo(id);
        sent++;
        cluster.send(
                this, to, new BinWriter().u8(message.type()).raw(message.body()).toSlice());
    }

    @Override
    public void whenDurable(Runnable action) {
        waiting.add(action);
    }

    @Override
    public void storePromise(int group, Ballot promised) {
        unsynced.add(() -> disk.get(group).promised = promised);
    }

    @Override
    public void storeProposal(int group, long slot, Proposal proposal) {
        unsynced.add(() -> disk.get(group).proposals.put(slot, proposal));
    }

    @Override
    public void dropProposals(int group, long after) {
        unsynced.add(() -> disk.get(group).proposals.tailMap(after, false).clear());
    }

    @Override
    public void storeDeparture(int group, Departure departure) {
        unsynced.add(() -> disk.get(group).departure = departure);
    }

    @Override
    public void storeDecided(int group, long slot) {
        unsynced.add(() -> disk.get(group).decided = slot);
    }

    @Override
    public void storeBase(int group, long slot, Seats seats) {
        unsynced.add(() -> {
            if (group == disk.size()) {
                disk.add(new LogDisk(seats)); // of a group that was added
            }
            LogDisk log = disk.get(group);
            log.base = slot;
            log.seats = seats;
            log.proposals.headMap(slot, true).clear();
        });
    }

    @Override
    public void storePiece(StatePiece.Name name, Slice content) {
        unsynced.add(() -> {
            if (content == null) {
                pieces.remove(name);
            } else {
                pieces.put(name, content);
            }
        });
    }

    @Override
    public void storeHead(Slice stored) {
        unsynced.add(() -> head = stored);
    }

    @Override
    public void stage(StatePiece piece) {
        unsynced.add(() -> staged.put(piece.name(), piece.content()));
    }

    @Override
    public void takeStaged() {
        unsynced.add(() -> {
            pieces.clear();
            pieces.putAll(staged);
            staged.clear();
        });
    }

    @Override
    public void dropStaged() {
        unsynced.add(staged::clear);
    }

    @Override
    public void news(Object news) {
        throw new AssertionError("the service of this cluster tells nothing: " + news);
    }

    @Override
    public void storesLost(GeoEvent.StoresLost lost) {
        cluster.storesLost(lost);
    }

    @Override
    public void otherLog(int group, NodeId node) {
        throw new AssertionError(id + " and " + node + " have different logs of group " + group);
    }

    @Override
    public void leftBehind(GeoEvent.LeftBehind told) {
        cluster.leftBehind.put(id, told);
    }

    @Override
    public boolean isBelieved(NodeId node) {
        return true;
    }

    @Override
    public void answered(long token, Slice result) {
        assertThat(isLeft).as("%s gives an answer, and is left behind", id).isFalse();
        cluster.answers.put(token, result);
        if (!cluster.streams.answered(this, token, result)) {
            cluster.clients.answered(this, token, result);
        }
    }

    @Override
    public void refused(long token, GeoEvent.Reason reason, String why) {
        assertThat(reason).as("a read writes").isNotEqualTo(GeoEvent.Reason.WRITES);
        refused.put(token, reason);
    }

    @Override
    public String toString() {
        return "\n" + id + (node == null ? " is down" : " " + node);
    }
}
