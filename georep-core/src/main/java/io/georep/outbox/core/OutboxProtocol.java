package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.StoreState;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.AdoptionRights;
import io.georep.outbox.core.context.AttemptNews;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.holder.Completion;
import io.georep.outbox.core.holder.DeadLetterStore;
import io.georep.outbox.core.holder.Deliveries;
import io.georep.outbox.core.holder.PendingPuts;
import io.georep.outbox.core.holder.Prepared;
import io.georep.outbox.core.holder.PutBatcher;
import io.georep.outbox.core.holder.Rereads;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.owners.Claims;
import io.georep.outbox.core.owners.Copies;
import io.georep.outbox.core.owners.CopyTransfers;
import io.georep.outbox.core.owners.Queries;
import io.georep.outbox.core.owners.Relocation;
import io.georep.outbox.core.owners.Restoration;
import io.georep.outbox.core.owners.Retransmission;
import io.georep.outbox.core.owners.ReturnedEntries;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Custody;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.QueueNames;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import io.georep.spi.PeerSelection;
import java.util.List;

/**
 * The GeoRep protocol: an entry is acknowledged once f other nodes hold a durable copy, forwarded by its holder, then
 * deleted everywhere; when its holder dies the next owner in line adopts it. No leader, no quorum, no order.
 *
 * <p>This class only routes; each rule lives in one of the parts: {@link PutBatcher} and {@link PendingPuts} (origin),
 * {@link Copies} (receiving end), {@link Claims} (who is the holder), {@link Deliveries} (to the application),
 * {@link Completion} (deletion), {@link Queries} (returning), {@link Restoration} (lost copies), {@link Relocation} (new
 * owners), {@link Retransmission} (reliability).
 */
public final class OutboxProtocol implements HostedProtocol<OutboxCommand> {
    /** Number of this protocol in the envelope and first byte of its keys. */
    public static final int CHANNEL = OutboxKeys.CHANNEL;

    /** Version of its messages. */
    public static final int VERSION = 1;

    /** What a node announces of it. */
    public static final ProtocolId ID = new ProtocolId(CHANNEL, "outbox", VERSION);

    private final OutboxContext context;
    private final Deliveries deliveries;
    private final DeadLetterStore deadLetters;
    private final PendingPuts pendingPuts;
    private final PutBatcher puts;
    private final Claims claims;
    private final Copies copies;
    private final Completion completion;
    private final Queries queries;
    private final Restoration restoration;
    private final CopyTransfers transfers;
    private final Relocation relocation;
    private final Retransmission retransmission;
    private final Prepared prepared;
    private final ReturnedEntries returnedEntries;
    private final Rereads rereads;
    private long tickAtNanos = Long.MAX_VALUE;

    public OutboxProtocol(ProtocolConfig config, Peers peers, PeerSelection selection) {
        context = new OutboxContext(peers, config, selection);
        deliveries = new Deliveries(context);
        deadLetters = new DeadLetterStore(context, deliveries);
        pendingPuts = new PendingPuts(context, deliveries);
        puts = new PutBatcher(context, pendingPuts);
        claims = new Claims(context, deliveries, deadLetters);
        copies = new Copies(context, claims);
        completion = new Completion(context, pendingPuts, deliveries, deadLetters);
        transfers = new CopyTransfers(context, completion);
        restoration = new Restoration(context, transfers);
        relocation = new Relocation(context, claims, deliveries, deadLetters, restoration, transfers);
        queries = new Queries(context, claims, deliveries, completion, restoration);
        retransmission = new Retransmission(context);
        prepared = new Prepared(context, deliveries, completion);
        returnedEntries = new ReturnedEntries(context, claims, completion, relocation, deliveries, deadLetters);
        rereads = new Rereads(context, deliveries);
    }

    @Override
    public ProtocolId id() {
        return ID;
    }

    @Override
    public boolean knows(int type) {
        return OutboxMessages.knows(type);
    }

    @Override
    public String describe(int type, BinReader body) {
        return new OutboxText(StreamId::toString).message(type, body);
    }

    @Override
    public String describe(Object what) {
        return new OutboxText(StreamId::toString).of(what);
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        context.ledger.boot(store, turn);
        context.attempts.boot(store, turn);
        for (StreamTable table : context.ledger.tables()) {
            table.parts().forEach(part -> part.custody().others(context.self()).forEach(turn::ensurePeer));
        }
        completion.boot();
        context.leases.boot(turn);
        queries.boot(context.peers.bootKind(), turn);
        prepared.boot(turn);
        context.takeovers.boot(turn.now());
        claims.boot(store, turn);
        tickAtNanos = turn.now() + context.config.heartbeat().toNanos();
        context.endOfTurn(turn);
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        context.ledger.now = turn.now();
        context.leases.heard(from, turn);
        if (type == OutboxMessages.REPLICATE) {
            Group group = Group.decode(body.raw(body.remaining()));
            checkAccepted(group.stream, RangeList.of(group.first, group.to()));
            copies.replicate(from, group, turn);
            return;
        }
        if (type == OutboxMessages.ATTEMPTS) {
            StreamId stream = body.stream();
            QueueNames.read(body);
            deadLetters.told(from, context.ledger.find(stream), AttemptNews.read(body), turn);
            return;
        }
        if (type == OutboxMessages.ADOPTION) {
            if (context.rights.told(from, AdoptionRights.read(body))) {
                claims.evaluateAll(turn);
            }
            return;
        }
        OutboxMessages.Message message = OutboxMessages.Message.read(type, body);
        checkAccepted(message.stream(), message.ranges());
        RangeList ranges = message.ranges();
        switch (type) {
            case OutboxMessages.DELETE -> completion.delete(from, openIfNews(message), ranges, turn);
            case OutboxMessages.UPDATE -> {
                StreamTable table = open(message);
                Custody claim = message.claim();
                pendingPuts.claimed(table, ranges, claim, from.id(), turn);
                claims.update(from, table, claim, queries.withoutLacking(from, table, claim, ranges, turn), turn);
            }
            case OutboxMessages.RELEASE -> claims.release(from, open(message), message.claim(), ranges, turn);
            case OutboxMessages.QUERY ->
                queries.query(from, context.ledger.look(message.stream(), message.queue()), ranges, turn);
            case OutboxMessages.ANSWER -> answered(from, open(message), message.answer(), turn);
            case OutboxMessages.DECIDED -> {
                StreamTable table = context.ledger.look(message.stream(), message.queue());
                prepared.decided(table, context.senderRights.heeded(from.id(), table, ranges, turn), turn);
            }
            case OutboxMessages.CLAIM ->
                claims.told(from, context.ledger.find(message.stream()), message.claim(), ranges, turn);
            case OutboxMessages.SETTLED -> completion.settled(from, openIfNews(message), ranges, turn);
            default -> onConfirmation(from, message, turn);
        }
    }

    /**
     * Checks that a peer names only entries that this boot has accepted. Otherwise numbers of entries to come would
     * count as used.
     */
    private void checkAccepted(StreamId id, RangeList ranges) {
        if (id.boot() != context.ledger.boot() || !id.origin().equals(context.self()) || ranges.isEmpty()) {
            return;
        }
        long next = context.ledger.acceptedIn(id);
        if (ranges.to(ranges.count() - 1) > next) {
            throw new MalformedException("entries " + ranges + " of stream " + id + ", in which this node has accepted "
                    + next + " entries");
        }
    }

    private void answered(Peer from, StreamTable table, OutboxMessages.Answer answer, Turn turn) {
        queries.answered(from, table, answer, turn);
        context.leases.answered(from, table, answer);
    }

    private StreamTable open(OutboxMessages.Message message) {
        return context.ledger.open(message.stream(), message.queue());
    }

    /**
     * Returns null for a message about entries that are known to be finished. DELETE may be repeated, and origins send
     * SETTLED again to nodes that return; neither must open a table.
     */
    private StreamTable openIfNews(OutboxMessages.Message message) {
        RangeList ranges = message.ranges();
        StreamTable table = context.ledger.look(message.stream(), message.queue());
        return ranges.without(table.finished.within(ranges)).isEmpty() ? table : open(message);
    }

    /** Answers to messages of this node: about streams it knows, or about nothing. */
    private void onConfirmation(Peer from, OutboxMessages.Message message, Turn turn) {
        StreamTable table = context.ledger.find(message.stream());
        if (table == null) {
            return;
        }
        RangeList ranges = message.ranges();
        switch (message.type()) {
            case OutboxMessages.ACK -> {
                int status = message.status();
                pendingPuts.acknowledged(from, table, status, message.epoch(), ranges, turn);
                relocation.acknowledged(from, table, status, message.epoch(), ranges, turn);
                if (status == OutboxMessages.STATUS_STORED) {
                    restoration.has(from, table, ranges, turn);
                }
            }
            case OutboxMessages.DELETED -> completion.deleted(from, table, ranges);
            case OutboxMessages.UPDATED -> claims.updated(from, table, message.epoch(), ranges);
            case OutboxMessages.RELEASED -> completion.released(from, table, ranges);
            default -> throw new IllegalStateException("no answer to this node: " + message);
        }
    }

    @Override
    public boolean needs(NodeId id) {
        for (StreamTable table : context.ledger.tables()) {
            if (table.names(id)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void onPeerChanged(Peer peer, PeerState before, Turn turn) {
        context.ledger.now = turn.now();
        context.candidates.outdate();
        pendingPuts.peerChanged(peer, turn);
        claims.peerChanged(peer, turn);
        queries.peerChanged(peer, turn);
    }

    @Override
    public void onPeerForgotten(NodeId id) {
        context.rights.forget(id);
        context.openQueries.forget(id);
        restoration.forget(id);
        transfers.forget(id);
        completion.forget(id);
        context.senderRights.forget(id);
    }

    @Override
    public void onPeerReachable(Peer peer, Turn turn) {
        context.ledger.now = turn.now();
        context.candidates.outdate();
        pendingPuts.peerReachable(peer, turn);
        context.rights.peerReachable(peer, turn);
        copies.peerReachable(peer);
        transfers.peerReachable(peer, turn);
        retransmission.peerReachable(peer);
        prepared.peerReachable(peer);
        queries.peerReachable(peer, turn);
        context.leases.ask(peer);
        context.attempts.peerReachable(peer);
        completion.news.tell(peer);
    }

    @Override
    public void onStaleStore(boolean isCertain, Turn turn) {
        queries.staleStore(turn);
        claims.evaluateAll(turn); // this node may have counted as removed until now
    }

    @Override
    public void onCommand(OutboxCommand command, Turn turn) {
        context.ledger.now = turn.now();
        if (command instanceof OutboxCommand.PutAll all) {
            puts.accept(all.puts(), turn);
        } else if (command instanceof OutboxCommand.Forwarded forwarded) {
            completion.forwarded(forwarded.ids(), turn);
        } else if (command instanceof OutboxCommand.Credit credit) {
            deliveries.credit(credit.queue(), credit.entries());
        } else if (command instanceof OutboxCommand.Return back) {
            returnedEntries.returned(back, turn);
        } else if (command instanceof OutboxCommand.Reread reread) {
            rereads.read(reread.ids(), turn);
        } else if (command instanceof OutboxCommand.Failed failed) {
            context.attempts.failed(failed.failures(), turn);
        } else if (command instanceof OutboxCommand.MakeDeadLetter letter) {
            returnedEntries.deadLetter(letter, turn);
        } else if (command instanceof OutboxCommand.ListDeadLetters list) {
            deadLetters.list(list, turn);
        } else if (command instanceof OutboxCommand.ReplayDeadLetters replay) {
            deadLetters.replay(replay, turn);
        } else if (command instanceof OutboxCommand.DeleteDeadLetters delete) {
            deadLetters.delete(delete, completion, turn);
        } else if (command instanceof OutboxCommand.Decide decide) {
            prepared.decide(decide.ids(), decide.commit(), turn);
        } else if (command instanceof OutboxCommand.ListUndecided list) {
            prepared.list(list, turn);
        } else if (command instanceof OutboxCommand.HandOver over) {
            context.handOverTargets.set(over.queue(), over.targets());
        } else if (command instanceof OutboxCommand.AllowAdoption allow) {
            context.rights.allow(allow.allowed(), turn);
            claims.evaluateAll(turn);
        } else if (command instanceof OutboxCommand.ReadStatistics read) {
            long waiting = pendingPuts.puts() + puts.waiting();
            turn.notify(new OutboxEvent.Statistics(read.token(), inspect().statistics(context, waiting, turn.now())));
        } else {
            throw new IllegalArgumentException("not a command of the outbox: " + command);
        }
    }

    @Override
    public void onStoreState(StoreState state, Turn turn) {
        context.store = state;
    }

    @Override
    public void onTimer(Turn turn) {
        context.ledger.now = turn.now();
        pendingPuts.onTimer(turn);
        queries.onTimer(turn);
        if (turn.now() >= tickAtNanos) {
            tickAtNanos = turn.now() + context.config.heartbeat().toNanos();
            List<StreamTable> changed = context.ledger.takeChanged();
            context.leases.tick(turn);
            claims.tick(turn);
            context.recalls.tick();
            deliveries.tick();
            retransmission.tick(changed);
            queries.tick(turn);
            relocation.tick(turn);
            completion.tick(changed, turn);
            context.takeovers.tick(changed, turn.now());
        }
    }

    @Override
    public long nextDeadlineNanos() {
        long own = Math.min(tickAtNanos, queries.nextDeadlineNanos());
        return Math.min(own, Math.min(puts.nextDeadlineNanos(), pendingPuts.nextDeadlineNanos()));
    }

    @Override
    public void endOfTurn(Turn turn) {
        context.ledger.now = turn.now();
        puts.endOfTurn(turn);
        deliveries.endOfTurn(turn);
        context.endOfTurn(turn);
    }

    /** Returns a read-only look into the state of this node. */
    public OutboxView inspect() {
        return new OutboxView(context.ledger, restoration);
    }

    /** Returns what the parts share, for tests. */
    OutboxContext context() {
        return context;
    }

    /** Returns how many groups of own puts are kept in memory, for tests. */
    int pendingGroups() {
        return pendingPuts.groups();
    }

    /** Splits messages and writes snapshots earlier than usual: for tests with little to say. */
    void splitEarly(int rangesMax, long snapshotAfterBytes) {
        context.outgoing.rangesMax(rangesMax);
        completion.news.rangesMax(rangesMax);
        context.ledger.snapshotAfterBytes = snapshotAfterBytes;
    }

    /** Leaves nothing with a node that cedes, as the papers do: for tests that show why copies are kept (gap G6). */
    void removeCededCopies() {
        context.keepsCededCopies = false;
    }
}
