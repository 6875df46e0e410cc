package io.georep.examples.sms.operator;

import io.georep.examples.sms.AdoptionGate;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.receipts.ReceiptIntake;
import io.georep.examples.sms.smpp.WatchedConnection;
import io.georep.model.EntryId;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jsmpp.session.SMPPSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.stereotype.Component;

/**
 * Keeps a session with an operator. While no operator has a session with this gateway, it adopts no messages: a gateway that
 * can reach an operator should adopt them. Thread-safe.
 */
@Component
public class OperatorLink implements SmartLifecycle {
    /** After the node, before the listeners that need the link. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 6144;

    private static final Logger LOG = LoggerFactory.getLogger(OperatorLink.class);

    private static final long LOOK_MILLIS = 500;

    private final String name;
    private final SmsProperties.Operator properties;
    private final AdoptionGate adoption;
    private final Function<Sms, @Nullable CompletionStage<?>> intake;
    private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("operator-");
    private final OperatorGate gate;
    private final Answers answers;
    private final Submitter submitter;
    private final CountDownLatch stopping = new CountDownLatch(1);
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
        this.properties = properties;
        this.intake = intake;
        this.adoption = adoption;
        threads.setDaemon(true);
        gate = new OperatorGate(properties, share);
        answers = new Answers(properties);
        submitter = new Submitter(name, gate, answers, meters, nanos);
        Gauge.builder("sms.operator.connected", gate, g -> g.connected() ? 1 : 0)
                .description("1 while there is a session with the operator")
                .tag("operator", name)
                .register(meters);
    }

    /** Returns whether there is a session. */
    public boolean connected() {
        return gate.connected();
    }

    /** Submits a message, see {@link Submitter#submit}. */
    String submit(Sms sms, EntryId id) throws InterruptedException {
        return submitter.submit(sms, id);
    }

    /** Forgets a message that was given up, so that a replay starts without a history. */
    void forget(EntryId id) {
        submitter.forget(id);
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
                // The pause starts again from the shortest only after a session that lasted.
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
            // Perhaps out of memory.
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
        try {
            gate.session(session);
            adoption.session(name, true);
            LOG.info("Session with the operator at {}:{}", properties.host(), properties.port());
            while (session.getSessionState().isBound()
                    && stopping.getCount() > 0
                    && !ended.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (isUnresponsive(opened.connection())) {
                    // It may still answer enquire_link, which alone would keep the session for ever.
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

    /** Returns whether the operator has read nothing, or answered no submit, for too long. */
    private boolean isUnresponsive(WatchedConnection connection) {
        boolean mute = answers.isMute(properties.enquireLink());
        if (mute || connection.readsNothing(properties.enquireLink())) {
            warn("The session with the operator ends", mute ? "it answers no submit" : "it reads nothing");
            return true;
        }
        return false;
    }
}
