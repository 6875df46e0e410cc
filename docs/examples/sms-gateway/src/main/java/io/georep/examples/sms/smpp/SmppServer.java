package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Refusal;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.SmsIntake;
import io.georep.examples.sms.SmsProperties;
import io.georep.model.EntryId;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.SubmitSm;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.thread.Threading;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.stereotype.Component;

/**
 * Messages in by SMPP. A submit is answered when f+1 sites have it on disk. Starts last and stops first, so that what it
 * takes can be replicated and forwarded.
 */
@Component
public class SmppServer implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(SmppServer.class);
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(5);
    private static final int MESSAGE_ID_MAX = 64;

    private final SmsIntake intake;
    private final SmsProperties.Smpp properties;
    private final SimpleAsyncTaskExecutor executor;
    private volatile @Nullable SmppListener listener;
    private volatile boolean leaving;

    SmppServer(SmsIntake intake, SmsProperties properties, Environment environment, MeterRegistry meters) {
        this.intake = intake;
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

    @Override
    public synchronized void start() {
        leaving = false;
        SmppListener opened = SmppListener.open(
                new SmppListener.Settings(
                        properties.port(),
                        properties.systemId(),
                        properties.password(),
                        properties.sessionsMax(),
                        properties.window(),
                        properties.bindTimeout(),
                        properties.enquireLink()),
                this::submit,
                executor);
        listener = opened;
        LOG.info("SMPP clients bind to port {}", opened.port());
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

    private CompletionStage<String> submit(SubmitSm submit) {
        if (leaving) {
            return CompletableFuture.failedFuture(
                    new SmppStatusException(SMPPConstant.STAT_ESME_RSYSERR, "this gateway is leaving"));
        }
        Sms sms = SubmitConversion.sms(submit);
        return intake.take(sms, "smpp").thenApply(SmppServer::messageId).exceptionally(SmppServer::refuse);
    }

    private static String refuse(Throwable error) {
        throw new CompletionException(new SmppStatusException(
                Refusal.of(error).smppStatus(), Refusal.cause(error).toString()));
    }

    /**
     * The entry id, which is what the operator and logs show as well. Names of nodes may be so long that SMPP cannot carry
     * it: then only the end, in which the numbers are.
     */
    static String messageId(EntryId id) {
        String text = id.toString();
        return text.length() <= MESSAGE_ID_MAX ? text : text.substring(text.length() - MESSAGE_ID_MAX);
    }
}
