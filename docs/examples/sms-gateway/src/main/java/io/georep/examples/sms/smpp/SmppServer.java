package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Account;
import io.georep.examples.sms.Accounts;
import io.georep.examples.sms.MessageId;
import io.georep.examples.sms.Refusal;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsIntake;
import io.georep.examples.sms.SmsProperties;
import io.georep.examples.sms.operator.OperatorSession;
import io.georep.examples.sms.receipts.Route;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jsmpp.SMPPConstant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.thread.Threading;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.stereotype.Component;

/**
 * Messages in by SMPP, and receipts out. A submit is answered when f+1 sites have it on disk. Starts last and stops first, so
 * that messages that it takes can be replicated and forwarded.
 */
@Component
public class SmppServer implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(SmppServer.class);
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(5);
    private static final String SYSTEM_ID = "sms-gateway";

    /** The optional parameter is not allowed, from SMPP 3.4; jSMPP has no name for it. */
    private static final int STAT_ESME_ROPTPARNOTALLWD = 0x000000c1;

    private final SmsIntake intake;
    private final Accounts accounts;
    private final SmsProperties.Smpp properties;
    private final SimpleAsyncTaskExecutor executor;
    private volatile @Nullable SmppListener listener;
    private volatile boolean leaving;

    SmppServer(
            SmsIntake intake,
            Accounts accounts,
            SmsProperties properties,
            Environment environment,
            MeterRegistry meters) {
        this.intake = intake;
        this.accounts = accounts;
        this.properties = properties.smpp();
        executor = new SimpleAsyncTaskExecutor("smpp-");
        executor.setDaemon(true);
        executor.setVirtualThreads(Threading.VIRTUAL.isActive(environment));
        Gauge.builder("sms.smpp.sessions", this, SmppServer::sessions)
                .description("Connections of SMPP clients")
                .register(meters);
    }

    /** The port in use. */
    public int port() {
        SmppListener current = listener;
        if (current == null) {
            throw new IllegalStateException("not started");
        }
        return current.port();
    }

    /** Connections now. */
    public int sessions() {
        SmppListener current = listener;
        return current == null ? 0 : current.sessions();
    }

    /** Returns whether a session of this account takes receipts now. */
    public boolean receives(String account) {
        SmppListener current = listener;
        return current != null && !leaving && current.receives(account);
    }

    /** Longest time a client may take for its answer to a deliver_sm. */
    public Duration deliverWithin() {
        return properties.deliverWithin();
    }

    /** Gives a deliver_sm to a session of this account and waits for the answer. */
    public Delivered deliver(String account, Sms sms) {
        SmppListener current = listener;
        return current == null ? Delivered.LATER : current.deliver(account, sms);
    }

    @Override
    public synchronized void start() {
        leaving = false;
        SmppListener opened = SmppListener.open(
                new SmppListener.Settings(
                        properties.host(),
                        properties.port(),
                        SYSTEM_ID,
                        properties.sessionsMax(),
                        properties.unboundMax(),
                        properties.unboundPerAddressMax(),
                        properties.window(),
                        properties.bindTimeout(),
                        properties.enquireLink(),
                        properties.deliverWithin()),
                accounts,
                this::submit,
                executor);
        listener = opened;
        LOG.info("SMPP clients bind to {}:{}", properties.host(), opened.port());
    }

    @Override
    public synchronized void stop() {
        SmppListener current = listener;
        if (current != null) {
            leaving = true;
            current.close(ANSWERS_WITHIN);
            listener = null;
        }
    }

    @Override
    public boolean isRunning() {
        return listener != null;
    }

    private CompletionStage<String> submit(Account account, Sms sms) {
        if (leaving) {
            throw new SmppStatusException(SMPPConstant.STAT_ESME_RSYSERR, "this gateway is leaving");
        }
        if (sms.tlvs().stream().anyMatch(each -> each.tag() == OperatorSession.ENTRY_ID_TAG)) {
            throw new SmppStatusException(STAT_ESME_ROPTPARNOTALLWD, "the gateway itself uses this optional parameter");
        }
        Instant now = Instant.now();
        Sms timed = sms.at(now);
        Instant expiry = timed.expiry();
        if (expiry != null && !expiry.isAfter(now)) {
            throw new SmppStatusException(SMPPConstant.STAT_ESME_RINVEXPIRY, "the validity is over already");
        }
        return intake.take(account, timed, Route.SMPP).thenApply(MessageId::of).exceptionally(SmppServer::refuse);
    }

    private static String refuse(Throwable error) {
        throw new CompletionException(new SmppStatusException(
                Refusal.of(error).smppStatus(), Refusal.cause(error).toString()));
    }
}
