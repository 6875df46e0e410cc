package io.georep.funnel.ratis;

import io.georep.codec.MalformedException;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.core.PeerAnswers;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.jspecify.annotations.Nullable;

/**
 * A question to all peers at once that leaves no entry in their log. Reads of Ratis itself would not do: while no entry is committed, its
 * leader answers them without making sure that it still leads, and its lease does not outlast a vote that it was too slow for.
 */
final class PeerQuestion {
    private static final AtomicLong CALLS = new AtomicLong();

    private final RaftClient client;
    private final RatisPlace place;
    private final @Nullable ViewStateMachine own;
    private final BlockingQueue<Optional<PeerAnswers.Answer>> answers = new LinkedBlockingQueue<>();

    /**
     * Creates it.
     *
     * @param own the state of this node's replica; null if it does not run, or is no peer
     */
    PeerQuestion(RaftClient client, RatisPlace place, @Nullable ViewStateMachine own) {
        this.client = client;
        this.place = place;
        this.own = own;
    }

    /**
     * Asks, and waits until the answer is certain.
     *
     * @param deadline on the monotonic clock
     * @return null if the request has to go through the log, or if the peers do not agree who leads
     */
    @Nullable
    Grant ask(Renewal renewal, long deadline) throws IOException {
        Message message = Message.valueOf(ViewStateMachine.bytes(MasterWire.question(renewal)));
        PeerAnswers said = new PeerAnswers(place.peers().size());
        for (RaftPeer each : place.group().getPeers()) {
            boolean isOwn = each.getId().toString().equals(place.node().value());
            if (isOwn && own != null) {
                said.add(own.answer(renewal));
            } else {
                send(message, each.getId());
            }
        }
        while (said.grant() == null && !said.isOver()) {
            said.add(next(deadline));
        }
        return said.grant();
    }

    private PeerAnswers.@Nullable Answer next(long deadline) throws IOException {
        try {
            Optional<PeerAnswers.Answer> next =
                    answers.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            return next == null ? null : next.orElse(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException)
                    new InterruptedIOException("interrupted while asking the peers").initCause(e);
        }
    }

    private void send(Message message, RaftPeerId peer) {
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(client.getId())
                .setServerId(peer)
                .setGroupId(place.group().getGroupId())
                .setCallId(CALLS.incrementAndGet())
                .setMessage(message)
                .setType(RaftClientRequest.staleReadRequestType(0))
                .build();
        CompletableFuture<RaftClientReply> answer = client.getClientRpc().sendRequestAsyncUnordered(request);
        var unused = answer.whenCompleteAsync((reply, failure) -> answered(peer, reply, failure));
    }

    private void answered(RaftPeerId peer, @Nullable RaftClientReply reply, @Nullable Throwable failure) {
        Optional<PeerAnswers.Answer> answer = Optional.empty();
        if (failure != null) {
            // Or its connection would wait for minutes before it tries again.
            client.getClientRpc().handleException(peer, failure, true);
        } else if (reply != null && reply.isSuccess()) {
            try {
                answer = Optional.of(MasterWire.readPeerAnswer(
                        ViewStateMachine.slice(reply.getMessage().getContent())));
            } catch (MalformedException e) {
                answer = Optional.empty(); // of another version: as if it were silent
            }
        }
        answers.add(answer);
    }
}
