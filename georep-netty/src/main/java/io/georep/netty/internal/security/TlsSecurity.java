package io.georep.netty.internal.security;

import io.georep.model.ConfigurationException;
import io.georep.model.NodeId;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS 1.3 with certificates on both sides, each of which names its node. New connections use what was read last; those that
 * exist stay, unless their certificate is revoked.
 */
public final class TlsSecurity implements ChannelSecurity {
    private static final Logger LOG = LoggerFactory.getLogger(TlsSecurity.class);

    /** Time for the last record of a connection that is being closed: a peer that does not read must not delay it. */
    private static final long CLOSE_MILLIS = 250;

    private static final long IDLE_SECONDS = 10;
    private static final Duration SOON = Duration.ofDays(7);
    private static final Duration A_DAY = Duration.ofDays(1);

    private final TlsSetup setup;
    private final NameRule names;
    private final NodeId self;
    private final int handshakeTimeoutMillis;

    /**
     * Computes handshakes of incoming connections, of which strangers may start any number. On the event loops, all links would
     * wait for them.
     */
    private final ThreadPoolExecutor handshakes;

    private final AddressTurns turns;

    private volatile TlsMaterial material;
    private volatile @Nullable String problem;
    private volatile Runnable changed = () -> {};
    private volatile @Nullable ScheduledFuture<?> looking;

    /** The earliest time for the next warning. */
    private volatile Instant quietUntil = Instant.MIN;

    /** What the files contained when they were last read, guarded by this. */
    private String seen;

    private TlsSecurity(TlsSetup setup, NameRule names, NodeId self, int handshakeTimeoutMillis) {
        this.setup = setup;
        this.names = names;
        this.self = self;
        this.handshakeTimeoutMillis = handshakeTimeoutMillis;
        seen = fingerprint();
        material = TlsMaterial.read(setup, names, self);
        handshakes = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("georep-tls-" + self, true));
        handshakes.allowCoreThreadTimeOut(true);
        turns = new AddressTurns(handshakes);
    }

    /** For tests: where handshakes of connections from others are computed. */
    public Executor handshakes() {
        return handshakes;
    }

    /**
     * Reads everything for the first time.
     *
     * @throws ConfigurationException if something cannot be read, or if the other nodes would not take this node's certificate
     */
    public static TlsSecurity open(TlsSetup setup, String cluster, NodeId self, int handshakeTimeoutMillis) {
        TlsSecurity security = new TlsSecurity(setup, setup.names(cluster), self, handshakeTimeoutMillis);
        setup.enter(security);
        LOG.info(
                "links of {} use TLS 1.3; it shows {}{}",
                self,
                security.shownUntil(),
                security.limited() ? ", and may not decide over other nodes" : "");
        security.warnIfItEndsSoon();
        return security;
    }

    private String shownUntil() {
        X509Certificate own = material.own();
        return NameRule.describe(own) + ", valid until " + own.getNotAfter().toInstant();
    }

    /** Warns once a day that the certificate expires soon: also if a new one is in the files and was not read. */
    private void warnIfItEndsSoon() {
        Instant now = Instant.now();
        Instant end = material.own().getNotAfter().toInstant();
        if (end.isAfter(now.plus(SOON)) || now.isBefore(quietUntil)) {
            return;
        }
        quietUntil = now.plus(A_DAY);
        LOG.warn(
                "links of {} cannot be made any more from {} on: renew {}",
                self,
                end,
                NameRule.describe(material.own()));
    }

    @Override
    public void protect(ChannelPipeline pipeline, Side side) {
        TlsMaterial now = material;
        ByteBufAllocator allocator = pipeline.channel().alloc();
        SslHandler tls = side == Side.DIALER
                ? now.client().newHandler(allocator)
                : now.server().newHandler(allocator, turns.of(pipeline.channel()));
        // The acceptor's own limit covers both handshakes.
        tls.setHandshakeTimeoutMillis(side == Side.DIALER ? handshakeTimeoutMillis : 0);
        tls.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS);
        if (side == Side.ACCEPTOR) {
            pipeline.addLast(new TlsBound(tls));
        }
        if (TlsMaterial.provider(setup.openSsl()) == SslProvider.OPENSSL) {
            pipeline.addLast(new LastRecord());
        }
        pipeline.addLast(tls, new TlsGate(side, tls));
    }

    @Override
    public @Nullable String objection(Channel channel, @Nullable NodeId name) {
        X509Certificate shown = channel.attr(TlsGate.SHOWN).get();
        if (shown == null) {
            return "it has shown no certificate";
        }
        String withdrawn = withdrawn(channel);
        if (withdrawn != null) {
            return withdrawn;
        }
        try {
            // A resumed session does not check this again.
            shown.checkValidity();
        } catch (CertificateException e) {
            return NameRule.describe(shown) + ", is not valid now: " + e.getMessage();
        }
        Set<String> nodes = names.nodes(shown);
        if (nodes.isEmpty()) {
            return NameRule.describe(shown) + ", names no node of this cluster";
        }
        if (name != null && !nodes.contains(name.value())) {
            return NameRule.describe(shown) + ", does not name " + name
                    + ": give each node a certificate of its own, and check the address";
        }
        return null;
    }

    @Override
    public @Nullable String withdrawn(Channel channel) {
        X509Certificate shown = channel.attr(TlsGate.SHOWN).get();
        return shown != null && material.revoked().contains(shown.getSerialNumber())
                ? NameRule.describe(shown) + ", is revoked"
                : null;
    }

    @Override
    public boolean limits(Channel channel) {
        X509Certificate shown = channel.attr(TlsGate.SHOWN).get();
        return shown == null || names.isLimited(shown);
    }

    @Override
    public boolean limited() {
        return names.isLimited(material.own());
    }

    @Override
    public void watch(EventLoop timer, Executor aside, Runnable onChange) {
        changed = onChange;
        long nanos = setup.checkNanos();
        if (nanos > 0) {
            looking = timer.scheduleWithFixedDelay(() -> aside.execute(this::look), nanos, nanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void close() {
        setup.leave(this);
        handshakes.shutdown();
        ScheduledFuture<?> pending = looking;
        if (pending != null) {
            pending.cancel(false);
        }
    }

    /** Returns why the latest change is not in force; null: it is. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Reads everything anew if a file has changed; what is wrong with it is logged. */
    private void look() {
        warnIfItEndsSoon();
        synchronized (this) {
            if (fingerprint().equals(seen)) {
                return;
            }
        }
        try {
            reload();
        } catch (ConfigurationException e) {
            LOG.warn("the changed files for TLS are not used, and the previous ones stay in force: {}", e.getMessage());
        }
    }

    /**
     * Reads everything anew. The list of revoked certificates counts even if the rest cannot be used, because a lost
     * key must be shut out even before this node has a good certificate.
     *
     * @throws ConfigurationException if it cannot be used; then what was read before stays in force
     */
    void reload() {
        try {
            synchronized (this) {
                seen = fingerprint();
                try {
                    material = material.withRevoked(TlsMaterial.revoked(setup));
                    material = sameRight(TlsMaterial.read(setup, names, self));
                    problem = null;
                } catch (ConfigurationException e) {
                    problem = e.getMessage();
                    throw e;
                }
            }
            LOG.info("new links of {} use TLS as it was read now; it shows {}", self, shownUntil());
            quietUntil = Instant.MIN;
            warnIfItEndsSoon();
        } finally {
            changed.run();
        }
    }

    /** What this node tells others depends on its right, so that stays for a whole boot. */
    private TlsMaterial sameRight(TlsMaterial read) {
        if (names.isLimited(read.own()) == limited()) {
            return read;
        }
        throw new ConfigurationException("TLS: " + NameRule.describe(read.own()) + ", "
                + (limited()
                        ? "is a full one, and this node was started with a limited one"
                        : "is a limited one, and this node was started with a full one")
                + ": restart the node to change what it may do");
    }

    /**
     * Compares contents and not times: a file may be replaced by an older one, and twice within a tick of its clock.
     */
    private String fingerprint() {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
        for (Path file : setup.files()) {
            try {
                byte[] content = Files.readAllBytes(file);
                digest.update((content.length + ":").getBytes(StandardCharsets.US_ASCII));
                digest.update(content);
            } catch (IOException e) {
                digest.update("unreadable:".getBytes(StandardCharsets.US_ASCII));
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
