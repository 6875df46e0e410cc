package io.georep.examples.sms.operator;

import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.receipts.Receipt;
import io.georep.examples.sms.receipts.ReceiptIntake;
import io.georep.examples.sms.smpp.WatchedConnection;
import io.georep.model.EntryId;
import io.georep.spring.DeadLetterException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jsmpp.GenericNackResponseException;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.SMPPConstant;
import org.jsmpp.extra.NegativeResponseException;
import org.jsmpp.extra.ResponseTimeoutException;
import org.jsmpp.session.SMPPSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.stereotype.Component;

/**
 * Keeps a session with an operator and submits messages to it. While there is none, this gateway adopts no messages:
 * another one that can reach the operator is the better heir. Thread-safe.
 */
@Component
public class OperatorLink implements SmartLifecycle {
    /** After the node, before the listeners that need the link. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 6144;

    private static final Logger LOG = LoggerFactory.getLogger(OperatorLink.class);

    private static final long LOOK_MILLIS = 500;

    /** What no repetition can mend. */
    private static final Set<Integer> HOPELESS = Set.of(
            SMPPConstant.STAT_ESME_RINVPRTFLG,
            SMPPConstant.STAT_ESME_RINVREGDLVFLG,
            SMPPConstant.STAT_ESME_RINVSRCTON,
            SMPPConstant.STAT_ESME_RINVSRCNPI,
            SMPPConstant.STAT_ESME_RINVMSGLEN,
            SMPPConstant.STAT_ESME_RINVSRCADR,
            SMPPConstant.STAT_ESME_RINVDSTADR,
            SMPPConstant.STAT_ESME_RINVDSTTON,
            SMPPConstant.STAT_ESME_RINVDSTNPI,
            SMPPConstant.STAT_ESME_RINVSERTYP,
            SMPPConstant.STAT_ESME_RINVESMCLASS,
            SMPPConstant.STAT_ESME_RINVDCS,
            SMPPConstant.STAT_ESME_RINVSCHED,
            SMPPConstant.STAT_ESME_RINVEXPIRY,
            // Optional parameters that are malformed, not allowed, of a wrong length, missing, or of an invalid value.
            0x000000c0,
            0x000000c1,
            0x000000c2,
            0x000000c3,
            0x000000c4);

    private static final String OFTEN = ", as again and again before, and it took others in between";

    private static final Set<Integer> FOR_NOW =
            Set.of(SMPPConstant.STAT_ESME_RTHROTTLED, SMPPConstant.STAT_ESME_RMSGQFUL);

    private final String name;
    private final LongSupplier nanos;
    private final SmsProperties.Operator properties;
    private final AdoptionGate adoption;
    private final Function<Sms, @Nullable CompletionStage<?>> intake;
    private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("operator-");
    private final OperatorGate gate;
    private final FullNumbers fullNumbers = new FullNumbers();
    private final Answers answers = new Answers(() -> unansweredSince = 0);
    private final Suspects suspects = new Suspects(answers);
    private final Counter throttles;
    private final CountDownLatch stopping = new CountDownLatch(1);
    /** When a submit got no answer in time, and none has got one since; 0 for never. */
    private volatile long unansweredSince;

    private volatile CountDownLatch over = new CountDownLatch(0);
    private @Nullable Thread keeper;

    @Autowired
    OperatorLink(SmsProperties properties, AdoptionGate adoption, ReceiptIntake receipts, MeterRegistry meters) {
        this(
                Operators.FIRST,
                properties.operator(),
                Operators.share(properties),
                adoption,
                deliver -> receipts.take(deliver, ""),
                meters,
                System::nanoTime);
    }

    /**
     * Makes a link.
     *
     * @param name of the operator, for the metrics and the ids of its messages
     * @param share most callers at a time while the operator is slow or away
     * @param intake takes what the operator delivers, see {@link DeliverReader}
     */
    OperatorLink(
            String name,
            SmsProperties.Operator properties,
            int share,
            AdoptionGate adoption,
            Function<Sms, @Nullable CompletionStage<?>> intake,
            MeterRegistry meters,
            LongSupplier nanos) {
        this.name = name;
        this.nanos = nanos;
        this.properties = properties;
        this.intake = intake;
        this.adoption = adoption;
        threads.setDaemon(true);
        gate = new OperatorGate(this.properties, share);
        throttles = Counter.builder("sms.operator.throttled")
                .description("Submits the operator throttled")
                .tag("operator", name)
                .register(meters);
        Gauge.builder("sms.operator.connected", gate, g -> g.connected() ? 1 : 0)
                .description("1 while there is a session with the operator")
                .tag("operator", name)
                .register(meters);
    }

    /** Whether there is a session. */
    public boolean connected() {
        return gate.connected();
    }

    /**
     * Submits a message and waits for the operator's answer. After the operator throttled, all submits pause.
     *
     * @return the operator's message id, with the name of the operator before it unless it is the first one
     * @throws OperatorUnavailableException when another attempt later may succeed
     * @throws DeadLetterException when the operator will never take this message
     * @throws ExpiredException when the validity of the message is over
     */
    String submit(Sms sms, EntryId id) throws InterruptedException {
        String late = late(sms, id);
        if (late != null) {
            return late;
        }
        if (suspects.isGivenUp(id)) {
            throw new DeadLetterException("message " + id + " did not get through" + OFTEN);
        }
        requireValid(sms, id);
        if (!fullNumbers.mayTry(sms.to().number(), System.nanoTime())) {
            throw new OperatorUnavailableException("the operator takes no more messages to this number now", null);
        }
        boolean alone = suspects.contains(id);
        SMPPSession session = gate.enter(alone);
        long begin = System.nanoTime();
        try {
            // Both may have changed while this waited.
            late = late(sms, id);
            if (late != null) {
                return late;
            }
            requireValid(sms, id);
            String messageId = OperatorSession.submit(session, sms, id);
            answers.take(id);
            LOG.debug("Message {} is {} to the operator", id, messageId);
            return taken(sms, id, messageId);
        } catch (NegativeResponseException e) {
            // If an earlier attempt was answered meanwhile, the operator has the message.
            late = late(sms, id);
            if (late != null) {
                return late;
            }
            throw refused(e.getCommandStatus(), sms, id);
        } catch (GenericNackResponseException e) {
            unansweredSince = 0;
            late = late(sms, id);
            if (late != null) {
                return late;
            }
            throw refused(e.getCommandStatus(), sms, id);
        } catch (PDUException e) {
            throw new DeadLetterException("SMPP cannot carry message " + id + ": " + e.getMessage(), e);
        } catch (ResponseTimeoutException | InvalidResponseException | IOException e) {
            late = late(sms, id);
            if (late != null) {
                return late;
            }
            boolean broken = !session.getSessionState().isBound();
            if (!broken && unansweredSince == 0) {
                unansweredSince = System.nanoTime() | 1;
            }
            if (broken && suspects.broke(id, alone)) {
                throw new DeadLetterException("the session with the operator broke " + Suspects.BREAKS_MAX
                        + " times when message " + id + " was the only one under way, and took others in between");
            }
            String text = "no answer to message " + id + ", which the operator may have: " + e.getMessage();
            if (!broken && suspects.unanswered(id, nanos.getAsLong())) {
                throw new DeadLetterException(text + OFTEN, e);
            }
            throw new OperatorUnavailableException(text, e);
        } finally {
            gate.leave(session, alone, System.nanoTime() - begin);
        }
    }

    /** A message that was given up has come to an end: if it is replayed, all begins anew. */
    void forget(EntryId id) {
        suspects.forget(id);
    }

    /** What the operator answered to any attempt, perhaps after its time; null for nothing. */
    private @Nullable String late(Sms sms, EntryId id) {
        Answers.Answer late = answers.take(id);
        if (late == null) {
            return null;
        }
        if (late.status() != 0) {
            throw refused(late.status(), sms, id);
        }
        return taken(sms, id, late.messageId());
    }

    /** The operator has this message; returns its id. */
    private String taken(Sms sms, EntryId id, String messageId) {
        gate.accepted();
        fullNumbers.accepted(sms.to().number());
        suspects.taken(id);
        return idOf(name, messageId);
    }

    /** Different operators may use the same ids. */
    private static String idOf(String operator, String messageId) {
        return Receipt.idOf(operator.equals(Operators.FIRST) ? "" : operator, messageId);
    }

    /**
     * Checks that a message is still worth sending.
     *
     * @throws ExpiredException when its validity is over
     */
    static void requireValid(Sms sms, EntryId id) {
        Instant expiry = sms.expiry();
        if (expiry != null && !Instant.now().isBefore(expiry)) {
            throw new ExpiredException("the validity of message " + id + " is over");
        }
    }

    /** Why this message is not submitted. One that is refused for now leaves its call to others: it may be the only one. */
    private RuntimeException refused(int status, Sms sms, EntryId id) {
        String text = String.format("the operator refused message %s with status 0x%08x", id, status);
        if (status == SMPPConstant.STAT_ESME_RTHROTTLED) {
            throttles.increment();
            gate.throttled();
        } else if (status == SMPPConstant.STAT_ESME_RMSGQFUL) {
            fullNumbers.full(sms.to().number(), System.nanoTime());
        }
        boolean hopeless = HOPELESS.contains(status);
        if (hopeless || FOR_NOW.contains(status)) {
            suspects.stands(id);
            return hopeless ? new DeadLetterException(text) : new OperatorUnavailableException(text, null);
        }
        return suspects.refused(id, nanos.getAsLong())
                ? new DeadLetterException(text + OFTEN)
                : new OperatorUnavailableException(text, null);
    }

    @Override
    public synchronized void start() {
        adoption.session(name, false);
        Thread thread = new Thread(this::keep, "operator-link");
        thread.setDaemon(true);
        keeper = thread;
        thread.start();
    }

    @Override
    public synchronized void stop() {
        Thread thread = keeper;
        if (thread == null) {
            return;
        }
        gate.close();
        stopping.countDown();
        over.countDown();
        try {
            thread.join(properties.connectTimeout().toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        keeper = null;
    }

    @Override
    public synchronized boolean isRunning() {
        return keeper != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Opens a session whenever there is none, until the application stops. */
    private void keep() {
        Backoff backoff = new Backoff(properties.reconnectMin(), properties.reconnectMax());
        try {
            while (stopping.getCount() > 0) {
                long begin = System.nanoTime();
                attempt();
                // An operator that ends each session at once is not asked for the next one at once.
                if (System.nanoTime() - begin >= properties.reconnectMax().toNanos()) {
                    backoff.succeeded();
                }
                stopping.await(backoff.failed(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            LOG.info("The operator link was interrupted and ends");
        }
    }

    /** Whatever goes wrong must not end this thread: no other opens a session. */
    private void attempt() throws InterruptedException {
        try {
            hold(OperatorSession.open(properties, intake, answers.new Session(), threads));
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable e) {
            warn("No session with the operator", e.getMessage());
        }
    }

    private void warn(String what, @Nullable String why) {
        try {
            LOG.warn("{} at {}:{}: {}", what, properties.host(), properties.port(), why);
        } catch (Throwable e) {
            // There is no memory for it, perhaps.
        }
    }

    /** Returns when the session is over, or the application stops. */
    private void hold(OperatorSession.Opened opened) throws InterruptedException {
        SMPPSession session = opened.session();
        CountDownLatch ended = new CountDownLatch(1);
        over = ended;
        session.addSessionStateListener((state, before, source) -> {
            if (!state.isBound()) {
                ended.countDown();
            }
        });
        unansweredSince = 0;
        try {
            gate.session(session);
            adoption.session(name, true);
            LOG.info("Session with the operator at {}:{}", properties.host(), properties.port());
            while (session.getSessionState().isBound()
                    && stopping.getCount() > 0
                    && !ended.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (isDeaf(opened.connection())) {
                    // It may still say that it lives, and would be believed for ever.
                    session.close();
                }
            }
        } finally {
            gate.session(null);
            adoption.session(name, false);
            session.unbindAndClose();
        }
        if (stopping.getCount() > 0) {
            warn("The session with the operator is lost", "there will be another");
        }
    }

    /** Whether the operator has read nothing, or answered no submit, for too long. */
    private boolean isDeaf(WatchedConnection connection) {
        long since = unansweredSince;
        boolean mute = since != 0
                && System.nanoTime() - since > properties.enquireLink().toNanos();
        if (mute || connection.readsNothing(properties.enquireLink())) {
            warn("The session with the operator ends", mute ? "it answers no submit" : "it reads nothing");
            return true;
        }
        return false;
    }
}
