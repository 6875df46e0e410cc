package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.model.StreamId;
import io.georep.outbox.core.ledger.Archive;
import io.georep.outbox.core.ledger.Ledger;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.SetRelations;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.BootKind;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.TestTurn;
import io.georep.spi.PeerSelection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The outbox of node a alone, with hand-made peers b, c and d: a test plays their part message by message, and decides
 * when the store is done and when time passes.
 */
final class OutboxFixture {
    static final NodeId A = NodeId.of("a");
    static final NodeId B = NodeId.of("b");
    static final NodeId C = NodeId.of("c");
    static final NodeId D = NodeId.of("d");
    static final String QUEUE = "queue";

    /** Most turns by time alone between two things a test does. */
    private static final int TURNS_MAX = 10_000;

    /** A stream of node b. */
    static final StreamId OF_B = new StreamId(B, 7, 0);

    /** Of this boot; another one counts from the next boot on. */
    ProtocolConfig config;

    HandMadePeers peers = new HandMadePeers(A);
    TestTurn turn = new TestTurn();
    OutboxProtocol node;

    /** What is different in every boot to come. */
    Consumer<OutboxProtocol> tuning = created -> {};

    /** Whether the store is read and compared whenever it is done: off where it is measured what the node does. */
    boolean replaysCompared = true;

    /** Whether the last turn asked for its batch to be forced to disk. */
    boolean forced;

    OutboxFixture(ProtocolConfig config) {
        this.config = config;
        List.of(B, C, D).forEach(peers::peer);
        turn.ensure = id -> peers.peer(id);
        node = create();
        node.boot(turn.disk(), turn);
        step().complete();
    }

    static OutboxFixture hardened() {
        return new OutboxFixture(ProtocolConfig.defaults());
    }

    private OutboxProtocol create() {
        OutboxProtocol created = new OutboxProtocol(config, peers, PeerSelection.fixed(List.of(B, C, D)));
        tuning.accept(created);
        return created;
    }

    // --- turns

    /** Ends the turn; the store has its batch and is not done. */
    OutboxFixture step() {
        node.endOfTurn(turn);
        forced = turn.store().isDurableRequired();
        node.inspect().ledger().tables().forEach(SetRelations::hold);
        return this;
    }

    /** The store is done with everything, and so is what waited for it. */
    OutboxFixture complete() {
        for (int i = 0; i < 4; i++) {
            turn.completeStore();
            node.endOfTurn(turn);
        }
        turn.completeStore();
        node.inspect().ledger().tables().forEach(SetRelations::hold);
        if (replaysCompared) {
            Replayed.assertSame(node.inspect().ledger(), turn.disk());
        }
        return this;
    }

    /** Ends the turn and waits for the store. */
    OutboxFixture settle() {
        return step().complete();
    }

    /** Lets time pass, waking the node at its deadlines. */
    OutboxFixture advance(Duration time) {
        long end = turn.now() + time.toNanos();
        int turns = 0;
        while (node.nextDeadlineNanos() <= end) {
            if (++turns > TURNS_MAX) {
                throw new AssertionError("the node wakes without end at " + node.nextDeadlineNanos());
            }
            turn.advance(Duration.ofNanos(Math.max(0, node.nextDeadlineNanos() - turn.now())));
            node.onTimer(turn);
            settle();
        }
        turn.advance(Duration.ofNanos(end - turn.now()));
        return this;
    }

    /** The node stops and starts again over what is on its disk. */
    OutboxFixture reboot(BootKind kind) {
        turn = turn.nextBoot(Duration.ofSeconds(1));
        peers.bootKind = kind;
        peers.all.values().forEach(peer -> peer.heardSentNanos = Long.MIN_VALUE);
        turn.ensure = id -> peers.peer(id);
        node = create();
        node.boot(turn.disk(), turn);
        return settle();
    }

    // --- peers

    OutboxFixture become(NodeId id, PeerState state) {
        HandMadePeers.HandMadePeer peer = peers.peer(id);
        PeerState before = peer.state;
        peer.state = state;
        peer.stateSinceNanos = turn.now();
        peer.linked = state != PeerState.TERMINATED && peer.linked;
        node.onPeerChanged(peer, before, turn);
        return this;
    }

    OutboxFixture reachable(NodeId id) {
        peers.peer(id).linked = true;
        node.onPeerReachable(peers.peer(id), turn);
        return this;
    }

    /** A message of a peer that hears this node. */
    OutboxFixture message(NodeId from, int type, Slice body) {
        peers.peer(from).heardSentNanos = turn.now();
        node.onMessage(peers.peer(from), type, new BinReader(body), turn);
        return this;
    }

    // --- what peers say

    static Custody custody(long epoch, NodeId... owners) {
        return new Custody(EntryState.COPY, epoch, List.of(owners), List.of(owners), null);
    }

    static RangeList range(long from, long to) {
        return RangeList.of(from, to);
    }

    static Slice replicate(StreamId stream, long first, int count, Custody custody) {
        return replicate(stream, first, count, custody, false);
    }

    static Slice replicate(StreamId stream, long first, int count, Custody custody, boolean prepared) {
        List<Slice> payloads = LongStream.range(first, first + count)
                .mapToObj(sequence -> Slice.utf8("payload " + sequence))
                .toList();
        return Group.encode(stream, first, QUEUE, custody, prepared, payloads).bytes();
    }

    OutboxFixture copy(NodeId from, StreamId stream, long first, int count, Custody custody) {
        return message(from, OutboxMessages.REPLICATE, replicate(stream, first, count, custody));
    }

    OutboxFixture claim(NodeId from, int type, StreamId stream, Custody custody, RangeList ranges) {
        return message(from, type, OutboxMessages.claim(new StreamTable(stream, QUEUE), custody, ranges));
    }

    OutboxFixture about(NodeId from, int type, StreamId stream, RangeList ranges) {
        return message(from, type, OutboxMessages.queueRanges(new StreamTable(stream, QUEUE), ranges));
    }

    OutboxFixture confirm(NodeId from, int type, StreamId stream, RangeList ranges) {
        return message(from, type, OutboxMessages.ranges(stream, ranges));
    }

    OutboxFixture ack(NodeId from, StreamId stream, int status, long epoch, RangeList ranges) {
        return message(from, OutboxMessages.ACK, OutboxMessages.ack(stream, status, epoch, ranges));
    }

    OutboxFixture answer(NodeId from, StreamId stream, int status, Custody custody, RangeList ranges) {
        return message(
                from,
                OutboxMessages.ANSWER,
                OutboxMessages.answer(stream, QUEUE, new OutboxMessages.Answer(status, custody, ranges)));
    }

    // --- the application

    OutboxFixture put(int f, int count) {
        return put(f, count, false);
    }

    private OutboxFixture put(int f, int count, boolean prepared) {
        List<OutboxCommand.Put> puts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            puts.add(new OutboxCommand.Put(QUEUE, f, Slice.utf8("put " + i), "token " + i, prepared));
        }
        node.onCommand(new OutboxCommand.PutAll(puts), turn);
        return this;
    }

    /** Puts entries and has the owners confirm them. */
    OutboxFixture stored(int count, NodeId... copies) {
        return stored(count, false, copies);
    }

    /** The same with entries that wait for the decision of their producer. */
    OutboxFixture prepared(int count, NodeId... copies) {
        return stored(count, true, copies);
    }

    private OutboxFixture stored(int count, boolean prepared, NodeId... copies) {
        long first = ownNext();
        put(copies.length, count, prepared).settle();
        for (NodeId id : copies) {
            ack(id, own(), OutboxMessages.STATUS_STORED, 0, range(first, first + count));
        }
        return settle();
    }

    /** The producer of own entries commits or withdraws them. */
    OutboxFixture decide(boolean commit, long... sequences) {
        node.onCommand(new OutboxCommand.Decide(ids(own(), sequences), commit), turn);
        return this;
    }

    OutboxFixture credit(int entries) {
        node.onCommand(new OutboxCommand.Credit(QUEUE, entries), turn);
        return this;
    }

    OutboxFixture forwarded(StreamId stream, long... sequences) {
        node.onCommand(new OutboxCommand.Forwarded(ids(stream, sequences)), turn);
        return this;
    }

    private static List<EntryId> ids(StreamId stream, long... sequences) {
        return LongStream.of(sequences)
                .mapToObj(sequence -> new EntryId(stream, sequence))
                .toList();
    }

    // --- looking

    private List<StreamId> ownStreams() {
        Ledger ledger = node.inspect().ledger();
        return Stream.concat(
                        ledger.tables().stream()
                                .map(table -> table.id)
                                .filter(id -> id.origin().equals(A)),
                        ledger.archive.recentOf(A, Long.MIN_VALUE).stream().map(Archive.Recent::stream))
                .sorted()
                .toList();
    }

    /** The latest own stream. */
    StreamId own() {
        List<StreamId> streams = ownStreams();
        return streams.get(streams.size() - 1);
    }

    private long ownNext() {
        return ownStreams().isEmpty() ? 0 : node.inspect().ledger().acceptedIn(own());
    }

    StreamTable table(StreamId stream) {
        return node.inspect().ledger().find(stream);
    }

    /** The custody of an entry, null when this node has none. */
    Custody custodyOf(StreamId stream, long sequence) {
        StreamTable table = table(stream);
        return table == null ? null : table.custodyOf(sequence);
    }

    /** Sequence numbers handed to the application since the last {@link TestTurn#forget}. */
    List<Long> delivered() {
        return deliveries().stream().map(entry -> entry.id().sequence()).toList();
    }

    List<OutboxEvent.Delivered> deliveries() {
        return turn.events(OutboxEvent.Deliver.class).stream()
                .flatMap(event -> event.entries().stream())
                .toList();
    }

    /** What messages of one type told a peer about since the last {@link TestTurn#forget}. */
    RangeList told(NodeId to, int type) {
        SequenceSet members = new SequenceSet();
        for (TestTurn.Sent sent : turn.sent(to, type)) {
            OutboxWire.subject(type, new BinReader(sent.body()))
                    .ranges()
                    .forEach(range -> members.add(range[0], range[1]));
        }
        return members.all();
    }

    /** The entries acknowledged to a peer with this status and epoch. */
    RangeList acknowledged(NodeId to, int status, long epoch) {
        SequenceSet members = new SequenceSet();
        for (TestTurn.Sent sent : turn.sent(to, OutboxMessages.ACK)) {
            BinReader in = new BinReader(sent.body());
            in.stream();
            if (in.u8() == status && in.varint() == epoch) {
                members.addAll(RangeList.read(in));
            }
        }
        return members.all();
    }

    /** The entries a peer was given this answer about. */
    RangeList answered(NodeId to, int status) {
        SequenceSet members = new SequenceSet();
        for (TestTurn.Sent sent : turn.sent(to, OutboxMessages.ANSWER)) {
            OutboxMessages.Answer answer = OutboxMessages.Message.read(
                            OutboxMessages.ANSWER, new BinReader(sent.body()))
                    .answer();
            if (answer.status() == status) {
                members.addAll(answer.ranges());
            }
        }
        return members.all();
    }

    /** The claims told to a peer in messages of one type. */
    List<Custody> claims(NodeId to, int type) {
        List<Custody> claims = new ArrayList<>();
        for (TestTurn.Sent sent : turn.sent(to, type)) {
            BinReader in = new BinReader(sent.body());
            in.stream();
            in.text();
            claims.add(Custody.read(in, EntryState.COPY));
        }
        return claims;
    }
}
