package io.georep.examples.sms.talk;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Peers;
import io.georep.protocol.ProtocolId;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Carries questions and answers. The gateway that asks keeps the timeout. At most {@link #WAITING_MAX} questions and as many
 * answers of one gateway wait here; more are dropped.
 */
final class TalkProtocol implements HostedProtocol<TalkProtocol.Command> {
    /** What the application asks. */
    sealed interface Command {}

    /** What the application is told. */
    sealed interface Event {}

    /** Command: a question to one gateway, or to all. */
    record Ask(long number, @Nullable NodeId to, byte[] question) implements Command {}

    /** Event: which gateways were asked, and which could not be. */
    record Asked(long number, Set<NodeId> asked, Set<NodeId> silent) implements Event {}

    /** Event: a question of another gateway. */
    record Question(NodeId from, long number, byte[] question) implements Event {}

    /** Command: the answer to that; null for none. Each question needs one, or it counts as waiting for ever. */
    record Answer(NodeId to, long number, byte @Nullable [] answer) implements Command {}

    /** Event: an answer of another gateway. */
    record Answered(NodeId from, long number, byte[] answer) implements Event {}

    private static final int QUESTION = 1;
    private static final int ANSWER = 2;

    /** Far more than a gateway has under way. */
    private static final int WAITING_MAX = 1000;

    private final Peers peers;

    /** Questions of each gateway that have no answer yet. */
    private final Map<NodeId, Integer> open = new HashMap<>();

    /** Answers that each gateway owes. */
    private final Map<NodeId, Integer> owed = new HashMap<>();

    TalkProtocol(Peers peers) {
        this.peers = peers;
    }

    @Override
    public ProtocolId id() {
        return GatewayTalkModule.ID;
    }

    @Override
    public boolean knows(int type) {
        return type == QUESTION || type == ANSWER;
    }

    @Override
    public void boot(EntryStore store, Turn turn) {
        // Nothing is stored.
    }

    @Override
    public void onCommand(Command command, Turn turn) {
        if (command instanceof Ask ask) {
            ask(ask, turn);
        } else if (command instanceof Answer answer) {
            take(open, answer.to);
            Peer peer = peers.find(answer.to);
            byte[] bytes = answer.answer;
            if (bytes != null && peer != null && peer.linked()) {
                turn.send(peer, ANSWER, body(answer.number, bytes), false);
            }
        }
    }

    private void ask(Ask ask, Turn turn) {
        Set<NodeId> asked = new TreeSet<>();
        Set<NodeId> silent = new TreeSet<>();
        Slice body = body(ask.number, ask.question);
        for (Peer peer : peers.all()) {
            if (!meant(peer, ask.to)) {
                continue;
            }
            if (peer.linked() && peer.writable(channel()) && peer.version(channel()) > 0) {
                turn.send(peer, QUESTION, body, false);
                asked.add(peer.id());
                add(owed, peer.id());
            } else {
                silent.add(peer.id());
            }
        }
        turn.notify(new Asked(ask.number, asked, silent));
    }

    /** A gateway that is given up is not asked: others have adopted what it had. */
    private static boolean meant(Peer peer, @Nullable NodeId to) {
        return (to == null || to.equals(peer.id()))
                && !peer.removed()
                && !peer.foreign()
                && peer.state() != PeerState.TERMINATED;
    }

    private static Slice body(long number, byte[] bytes) {
        return new BinWriter().i64(number).bytes(Slice.of(bytes)).toSlice();
    }

    @Override
    public void onMessage(Peer from, int type, BinReader body, Turn turn) {
        long number = body.i64();
        byte[] bytes = body.bytes().toArray();
        if (bytes.length > GatewayTalk.BYTES_MAX) {
            throw new MalformedException("a question or answer has " + bytes.length + " bytes");
        }
        if (type == QUESTION && add(open, from.id())) {
            turn.notify(new Question(from.id(), number, bytes));
        } else if (type == ANSWER && take(owed, from.id())) {
            turn.notify(new Answered(from.id(), number, bytes));
        }
    }

    private static boolean add(Map<NodeId, Integer> counts, NodeId of) {
        int before = counts.getOrDefault(of, 0);
        counts.put(of, Math.min(WAITING_MAX, before + 1));
        return before < WAITING_MAX;
    }

    private static boolean take(Map<NodeId, Integer> counts, NodeId of) {
        boolean has = counts.containsKey(of);
        counts.computeIfPresent(of, (id, count) -> count == 1 ? null : count - 1);
        return has;
    }

    @Override
    public void onPeerForgotten(NodeId id) {
        open.remove(id);
        owed.remove(id);
    }
}
