package io.georep.examples.sms.receipts;

import io.georep.GeoRepNode;
import io.georep.PeerStatus;
import io.georep.examples.sms.AdoptionGate;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.smpp.Delivered;
import io.georep.examples.sms.smpp.SmppServer;
import io.georep.examples.sms.talk.GatewayTalk;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds out where a receipt goes, and gives it to a session of its client, here or through another gateway. Answers such
 * questions of other gateways. Thread-safe.
 */
@Component
class ReceiptDesk implements DisposableBean {
    /**
     * Where a receipt goes.
     *
     * @param route null when no gateway knows
     * @param holder the gateway that knows; null for this one
     * @param unknownFor for how long no gateway has known it while none that was asked stayed silent; zero if a gateway knows
     */
    record Found(@Nullable Route route, @Nullable NodeId holder, Duration unknownFor) {
        static Found at(Route route, @Nullable NodeId holder) {
            return new Found(route, holder, Duration.ZERO);
        }
    }

    private enum Kind {
        /** Asks whose message has this id of the operator. */
        FIND,
        /** Asks whether a session that takes receipts of this account is bound there. */
        BOUND,
        /** Asks to give the client this receipt. */
        DELIVER,
        /** Tells that the last receipt of a message has reached its client. */
        DONE
    }

    private record Question(
            Kind kind,
            String operatorId,
            @Nullable Route route,
            @Nullable Receipt receipt,
            boolean repeated) {}

    /**
     * An answer to a question.
     *
     * @param others gateways that may know the message, if this one does not
     */
    private record Answer(
            boolean yes,
            @Nullable Route route,
            @Nullable Delivered outcome,
            @Nullable List<String> others) {
        static final Answer NO = new Answer(false, null, null, null);
        static final Answer YES = new Answer(true, null, null, null);
    }

    /**
     * Answers of other gateways.
     *
     * @param fromAll whether every gateway answered that any of them has not given up
     */
    private record Heard(Map<NodeId, Answer> answers, boolean fromAll) {}

    private static final Logger LOG = LoggerFactory.getLogger(ReceiptDesk.class);
    private static final Duration QUICK = Duration.ofSeconds(2);

    /** How long another gateway may take beyond the time that its client has. */
    private static final Duration WAY = Duration.ofSeconds(5);

    private static final int DONE_ATTEMPTS = 3;

    /**
     * So many gateways can have all their receipts given to clients of this one at the same time, each on a thread. There is no
     * queue: quick clients would wait in it behind slow ones. Each gateway bounds its own slow clients.
     */
    private static final int GATEWAYS = 8;

    private final GeoRepNode node;
    private final AwaitedReceipts awaited;
    private final SmppServer clients;
    private final GatewayTalk talk;
    private final JsonMapper mapper;
    private final BooleanSupplier mayAdopt;
    private final ExecutorService threads;

    /**
     * When a gateway that was asked last stayed silent; at first the start, before which this gateway may have known no others.
     */
    private volatile long silence = System.nanoTime();

    @Autowired
    ReceiptDesk(
            GeoRepNode node,
            AwaitedReceipts awaited,
            SmppServer clients,
            JsonMapper mapper,
            AdoptionGate adoption,
            SmsProperties properties) {
        this(
                node,
                awaited,
                clients,
                mapper,
                adoption::isOpen,
                properties.receipts().concurrency());
    }

    /**
     * Answers the others from now on.
     *
     * @param mayAdopt whether this gateway adopts what a dead gateway knew; while it may not, that lies unused in its store
     * @param concurrency most receipts that each gateway has on their way at a time
     */
    ReceiptDesk(
            GeoRepNode node,
            AwaitedReceipts awaited,
            SmppServer clients,
            JsonMapper mapper,
            BooleanSupplier mayAdopt,
            int concurrency) {
        this.node = node;
        this.awaited = awaited;
        this.clients = clients;
        this.mapper = mapper;
        this.mayAdopt = mayAdopt;
        threads = new ThreadPoolExecutor(
                0, GATEWAYS * concurrency, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, "receipt-desk");
                    thread.setDaemon(true);
                    return thread;
                });
        talk = node.service(GatewayTalk.class);
        talk.answerer((from, question) -> answer(question));
    }

    /** Returns whether this gateway knows where a receipt goes. */
    boolean knows(String operatorId) {
        return awaited.find(operatorId) != null;
    }

    /** Starts the time without silence anew: a gateway is silent, or may be adopting what a dead one knew. */
    void mayLearn() {
        silence = System.nanoTime();
    }

    /** Finds out where a receipt goes; asks all gateways when this one does not know. */
    Found find(String operatorId) throws InterruptedException {
        Route here = awaited.find(operatorId);
        if (here != null) {
            return Found.at(here, null);
        }
        Heard heard = ask(null, new Question(Kind.FIND, operatorId, null, null, false), QUICK);
        for (Map.Entry<NodeId, Answer> each : heard.answers().entrySet()) {
            Route route = each.getValue().route();
            if (route != null) {
                return Found.at(route, each.getKey());
            }
        }
        if (!heard.fromAll() || !mayAdopt.getAsBoolean()) {
            mayLearn();
        }
        // This gateway may have adopted the note meanwhile.
        here = awaited.find(operatorId);
        return here == null
                ? new Found(null, null, Duration.ofNanos(System.nanoTime() - silence))
                : Found.at(here, null);
    }

    /**
     * Gives a receipt to a session of its client, wherever one is bound.
     *
     * @throws ReceiptWaitsException if it was given to nobody for a reason that is not its client's
     */
    Delivered deliver(Receipt receipt, Route route, boolean repeated) throws InterruptedException {
        if (clients.receives(route.account())) {
            return deliverHere(receipt, route, repeated);
        }
        Heard bound = ask(null, new Question(Kind.BOUND, "", route, null, false), QUICK);
        for (Map.Entry<NodeId, Answer> each : bound.answers().entrySet()) {
            if (each.getValue().yes()) {
                Question deliver = new Question(Kind.DELIVER, "", route, receipt, repeated);
                Answer done = ask(
                                each.getKey(), deliver, clients.deliverWithin().plus(WAY))
                        .answers()
                        .get(each.getKey());
                if (done == null) {
                    return Delivered.LATER;
                } else if (done.outcome() == null) {
                    throw new ReceiptWaitsException("gateway " + each.getKey() + " has no thread left");
                }
                return done.outcome();
            }
        }
        return Delivered.LATER;
    }

    /**
     * Ends the wait for receipts of a message whose last receipt has reached its client. If the gateway that waits cannot be
     * told, it waits until the time is over, and a repeated receipt would reach the client.
     *
     * @param moved whether another gateway than the holder may have become the one that waits
     */
    void done(String operatorId, Route route, @Nullable NodeId holder, boolean moved) throws InterruptedException {
        try {
            NodeId waits = moved ? find(operatorId).holder() : holder;
            if (waits == null) {
                awaited.done(operatorId, route.id());
                return;
            }
            Question done = new Question(Kind.DONE, operatorId, route, null, false);
            for (int i = 0; i < DONE_ATTEMPTS; i++) {
                if (ask(waits, done, QUICK).fromAll()) {
                    return;
                }
            }
        } catch (ReceiptWaitsException e) {
            LOG.debug("Message {} stays one whose receipts are awaited: {}", route.id(), e.getMessage());
        }
    }

    private Delivered deliverHere(Receipt receipt, Route route, boolean repeated) {
        return clients.deliver(route.account(), receipt.toDeliver(route, repeated));
    }

    private CompletionStage<byte[]> answer(byte[] bytes) {
        Question question = mapper.readValue(bytes, Question.class);
        Route route = question.route;
        Receipt receipt = question.receipt;
        Answer answer = Answer.NO;
        switch (question.kind) {
            case FIND -> {
                Route found = awaited.find(question.operatorId);
                if (found == null) {
                    return node.readPeers().thenApply(peers -> bytes(new Answer(false, null, null, present(peers))));
                }
                answer = new Answer(true, found, null, null);
            }
            case BOUND -> answer = route != null && clients.receives(route.account()) ? Answer.YES : Answer.NO;
            case DONE -> {
                if (route != null) {
                    awaited.done(question.operatorId, route.id());
                }
            }
            case DELIVER -> {
                if (route != null && receipt != null) {
                    return deliverLater(receipt, route, question.repeated);
                }
            }
        }
        return CompletableFuture.completedFuture(bytes(answer));
    }

    private CompletionStage<byte[]> deliverLater(Receipt receipt, Route route, boolean repeated) {
        try {
            return CompletableFuture.supplyAsync(
                    () -> bytes(new Answer(true, null, deliverHere(receipt, route, repeated), null)), threads);
        } catch (RejectedExecutionException e) {
            // Without an outcome the other gateway tries again and counts no failure of its client.
            return CompletableFuture.completedFuture(bytes(Answer.YES));
        }
    }

    private byte[] bytes(Answer answer) {
        return mapper.writeValueAsBytes(answer);
    }

    private Heard ask(@Nullable NodeId to, Question question, Duration atMost) throws InterruptedException {
        GatewayTalk.Answers answers;
        try {
            answers = talk.ask(
                            to, mapper.writeValueAsBytes(question), atMost, answer -> isSought(question.kind, answer))
                    .toCompletableFuture()
                    .get();
        } catch (ExecutionException e) {
            throw new ReceiptWaitsException("other gateways cannot be asked: " + e.getCause());
        }
        return heard(answers);
    }

    /** Leaves out answers that cannot be read: one faulty gateway must not hold up receipts that others know. */
    private Heard heard(GatewayTalk.Answers answers) {
        Map<NodeId, Answer> read = new TreeMap<>();
        answers.answers().forEach((from, bytes) -> {
            Answer answer = read(bytes);
            if (answer != null) {
                read.put(from, answer);
            }
        });
        Set<String> heard = new HashSet<>(Set.of(node.identity().id().value()));
        read.keySet().forEach(each -> heard.add(each.value()));
        return new Heard(
                read,
                answers.silent().isEmpty()
                        && read.size() == answers.answers().size()
                        && read.values().stream()
                                .allMatch(each -> each.others() == null || heard.containsAll(each.others())));
    }

    /**
     * Returns the gateways that may know the message, as this one sees them. A dead one counts while this gateway may not
     * adopt: what it knew may lie here unadopted.
     */
    private List<String> present(List<PeerStatus> peers) {
        boolean adopted = mayAdopt.getAsBoolean();
        return peers.stream()
                .filter(each -> !each.foreign()
                        && each.state() != PeerState.PROSPECT
                        && (each.state() != PeerState.TERMINATED || !adopted))
                .map(each -> each.id().value())
                .toList();
    }

    private boolean isSought(Kind kind, byte[] bytes) {
        Answer answer = read(bytes);
        return answer != null && (kind == Kind.FIND ? answer.route() != null : answer.yes());
    }

    private @Nullable Answer read(byte[] bytes) {
        try {
            return mapper.readValue(bytes, Answer.class);
        } catch (JacksonException e) {
            LOG.debug("An answer cannot be read", e);
            return null;
        }
    }

    @Override
    public void destroy() {
        threads.shutdownNow();
    }
}
