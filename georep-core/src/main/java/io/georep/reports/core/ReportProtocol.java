package io.georep.reports.core;

import io.georep.codec.BinReader;
import io.georep.codec.MalformedException;
import io.georep.model.BrokenInvariantException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.reports.NodeReport;
import io.georep.reports.Reports;
import io.georep.spi.EntryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Asks peers for their reports while somebody looks, and answers theirs. Both sides bound what it costs: a node asks each peer
 * once in a while however often it is looked at, takes one report for each question, and writes one per second at most for all
 * who ask. Nothing is stored. A question or an answer that is lost costs one look.
 */
public class ReportProtocol implements HostedProtocol<ReportCommand> {
    /** Its number. */
    public static final int CHANNEL = 7;

    /** What a node announces about it. */
    public static final ProtocolId ID = new ProtocolId(CHANNEL, "reports", 1);

    /** Asks for a report. Has no body. */
    static final int ASK = 1;

    /** The body is the report. */
    static final int REPORT = 2;

    /** A node writes its report once in this time at most, and asks for others' no more often. */
    static final long EVERY_NANOS = 1_000_000_000L;

    /** Pause between two rounds of questions for each peer, so that a hundred reports do not come at once each second. */
    static final long EVERY_NANOS_PER_PEER = 50_000_000L;

    /** After this time without a look, nobody counts as looking. */
    static final long KEPT_NANOS = 60 * EVERY_NANOS;

    private record Heard(Slice text, long atNanos) {}

    private final Peers peers;
    private final TreeMap<NodeId, Heard> heard = new TreeMap<>();
    private final TreeSet<NodeId> asked = new TreeSet<>();
    private final TreeSet<NodeId> asking = new TreeSet<>();
    private boolean isWriting;
    private long writeAt = Long.MIN_VALUE;
    private long askAt = Long.MIN_VALUE;
    private long dropAt = Long.MAX_VALUE;

    /** Creates the protocol. */
    public ReportProtocol(Peers peers) {
        this.peers = peers;
    }

    @Override
    public ProtocolId id() {
        return ID;
    }

    @Override
    public boolean knows(int type) {
        return type == ASK || type == REPORT;
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        // Who looks after a restart asks anew.
    }

    @Override
    public void onCommand(ReportCommand command, Turn turn) {
        if (command instanceof ReportCommand.Look look) {
            dropAt = turn.now() + KEPT_NANOS;
            if (turn.now() >= askAt) {
                ask(turn);
            }
            turn.notify(new ReportEvent.Seen(look.token(), seen(turn.now())));
        } else if (command instanceof ReportCommand.Written written) {
            BrokenInvariantException.require(isWriting, "a report is written for those who ask", this);
            isWriting = false;
            writeAt = turn.now() + EVERY_NANOS;
            answer(written.text(), turn);
        }
    }

    private void ask(Turn turn) {
        int count = 0;
        for (Peer peer : peers.linked()) {
            if (canAsk(peer) && !peer.removed() && peer.writable(CHANNEL)) {
                asked.add(peer.id());
                turn.send(peer, ASK, Slice.EMPTY, false);
                count++;
            }
        }
        askAt = turn.now() + Math.max(EVERY_NANOS, count * EVERY_NANOS_PER_PEER);
    }

    private static boolean canAsk(Peer peer) {
        return peer.version(CHANNEL) > 0;
    }

    List<NodeReport> seen(long now) {
        List<NodeReport> reports = new ArrayList<>();
        for (Peer peer : peers.all()) {
            if (peer.removed()) {
                continue;
            }
            Heard last = heard.get(peer.id());
            Duration age = last == null ? Duration.ZERO : Duration.ofNanos(now - last.atNanos);
            reports.add(new NodeReport(peer.id(), canAsk(peer), last == null ? null : last.text, age));
        }
        return reports;
    }

    private void answer(Slice text, Turn turn) {
        for (NodeId id : asking) {
            Peer peer = peers.find(id);
            // Who has gone, or does not read, asks again.
            if (peer != null && peer.linked() && peer.writable(CHANNEL)) {
                turn.send(peer, REPORT, text, false);
            }
        }
        asking.clear();
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        if (type == ASK) {
            body.requireEnd("a question for a report");
            asking.add(from.id());
            return;
        }
        int length = body.remaining();
        if (length > Reports.BYTES_MAX) {
            throw new MalformedException("a report of " + length + " bytes, at most " + Reports.BYTES_MAX);
        }
        // A copy, because the rest of the frame would stay with it.
        Slice text = Slice.of(body.raw(length).toArray());
        if (asked.remove(from.id())) {
            heard.put(from.id(), new Heard(text, turn.now()));
        }
    }

    @Override
    public void onPeerForgotten(NodeId id) {
        heard.remove(id);
        asked.remove(id);
        asking.remove(id);
    }

    @Override
    public void onTimer(Turn turn) {
        if (turn.now() >= dropAt) {
            heard.clear();
            asked.clear();
            dropAt = Long.MAX_VALUE;
        }
    }

    @Override
    public long nextDeadlineNanos() {
        return Math.min(dropAt, asking.isEmpty() || isWriting ? Long.MAX_VALUE : writeAt);
    }

    @Override
    public void endOfTurn(Turn turn) {
        if (!asking.isEmpty() && !isWriting && turn.now() >= writeAt) {
            isWriting = true;
            turn.notify(new ReportEvent.Wanted());
        }
    }

    @Override
    public String describe(int type, BinReader body) {
        return type == ASK ? "ask" : "report, " + body.remaining() + " bytes";
    }

    /** For tests: what is kept of others. */
    int kept() {
        return heard.size() + asked.size() + asking.size();
    }

    @Override
    public String toString() {
        return "reports of " + heard.size() + " peers" + (isWriting ? ", writing" : "");
    }
}
