package io.georep.funnel.ratis;

import io.georep.codec.MalformedException;
import io.georep.funnel.ViewMaster.Grant;
import io.georep.funnel.ViewMaster.Renewal;
import io.georep.funnel.core.PeerAnswers;
import io.georep.model.Slice;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.CallId;
import org.jspecify.annotations.Nullable;

/**
 * A question to all peers at once that leaves no entry in their log, and if it has to, an entry by the peer that leads. Reads of Ratis itself
 * would not do: while no entry is committed, its leader answers them without making sure that it still leads, and its lease does not
 * outlast a vote that it was too slow for.
 */
final class PeerQuestion {
    private final RaftClient client;
    private final RatisPlace place;
    private final @Nullable ViewStateMachine own;
    private final BlockingQueue<Said> answers = new LinkedBlockingQueue<>();

    /** The peer that leads in the newest term that was heard of. */
    private @Nullable RaftPeerId leader;

    private long newest;

    private record Said(RaftPeerId peer, PeerAnswers.@Nullable Answer answer) {}

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
     * @return null if the peers do not agree who leads
     * @throws IOException if the request had to be stored, and was not
     */
    @Nullable
    Grant ask(Renewal renewal, long deadline) throws IOException {
        Message message = message(MasterWire.question(renewal));
        PeerAnswers said = new PeerAnswers(place.peers().size());
        for (RaftPeer each : place.group().getPeers()) {
            RaftPeerId peer = each.getId();
            if (own != null && peer.toString().equals(place.node().value())) {
                answers.add(new Said(peer, own.answer(renewal)));
            } else {
                var unused = send(message, peer, RaftClientRequest.staleReadRequestType(0))
                        .whenCompleteAsync((reply, failure) -> answers.add(new Said(peer, read(reply))));
            }
        }
        while (said.grant() == null && !said.isOver()) {
            said.add(next(deadline));
        }
        Grant grant = said.grant();
        return grant == null && leader != null ? store(renewal, leader, deadline) : grant;
    }

    private static Message message(Slice content) {
        return Message.valueOf(ViewStateMachine.bytes(content));
    }

    private PeerAnswers.@Nullable Answer next(long deadline) throws IOException {
        try {
            Said next = answers.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            PeerAnswers.Answer answer = next == null ? null : next.answer;
            if (next != null && answer != null && answer.ledTerm() >= newest) {
                newest = answer.ledTerm();
                leader = next.peer;
            }
            return answer;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IOException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return (IOException) new InterruptedIOException("interrupted while asking the peers").initCause(cause);
    }

    private Grant store(Renewal renewal, RaftPeerId at, long deadline) throws IOException {
        try {
            RaftClientReply reply = send(message(MasterWire.request(renewal)), at, RaftClientRequest.writeRequestType())
                    .get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (!reply.isSuccess()) {
                throw new IOException(String.valueOf(reply.getException()));
            }
            Grant grant = MasterWire.readAnswer(
                    ViewStateMachine.slice(reply.getMessage().getContent()));
            return new Grant(grant.view(), grant.lease(), grant.mayWrite(), true);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("peer " + at + " leads, and has not stored the question in time", e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private CompletableFuture<RaftClientReply> send(Message message, RaftPeerId peer, RaftClientRequest.Type type) {
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(client.getId())
                .setServerId(peer)
                .setGroupId(place.group().getGroupId())
                .setCallId(CallId.getAndIncrement())
                .setMessage(message)
                .setType(type)
                .build();
        return client.getClientRpc().sendRequestAsyncUnordered(request).whenCompleteAsync((reply, failure) -> {
            if (failure != null) {
                // Or its connection would wait for minutes before it tries again.
                client.getClientRpc().handleException(peer, failure, true);
            }
        });
    }

    private static PeerAnswers.@Nullable Answer read(@Nullable RaftClientReply reply) {
        try {
            return reply == null || !reply.isSuccess()
                    ? null
                    : MasterWire.readPeerAnswer(
                            ViewStateMachine.slice(reply.getMessage().getContent()));
        } catch (MalformedException e) {
            return null; // of another version: as if it were silent
        }
    }
}
