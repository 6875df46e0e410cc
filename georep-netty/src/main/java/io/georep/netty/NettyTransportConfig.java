package io.georep.netty;

import io.georep.model.ConfigurationException;
import io.georep.netty.internal.sockets.LinkSettings;
import io.georep.netty.internal.sockets.OpenPort;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the transport, validated together. Each parameter gives its default at the end.
 *
 * @param cluster name that all nodes of a cluster share; nodes of another cluster are refused; {@code georep}
 * @param bindAddress {@code host:port} to listen on if it differs from the address that peers dial, for example {@code
 *     0.0.0.0:7400} in a container; null: the node's own address
 * @param eventLoopThreads how many threads move bytes; 1
 * @param nativeTransport whether to use epoll if {@code netty-transport-native-epoll} is on the class path; true
 * @param handshakeTimeout how long the handshake may take after TCP has connected, which may take 5 s; 5 s
 * @param reconnectDelayMin pause before the first attempt to dial again; 100 ms
 * @param reconnectDelayMax longest pause between attempts; 10 s
 * @param unacknowledgedTimeout how long the peer's TCP may be silent before a link counts as broken. With NIO this applies only
 *     to links that have nothing in flight. A peer that has stopped reading is silent too, so this should be longer than
 *     {@code suspectAfter} + {@code terminateAfter}; after that time the protocol itself renews a link over which nothing is
 *     confirmed. Also how long a link may bring nothing of a large frame while others wait for its memory; 60 s
 * @param frameBytesMax largest frame sent or accepted, in bytes. All frames above 320 KiB that are arriving together take at
 *     most 32 MiB more than this; further ones wait; 80 MiB
 * @param queueBytesLow a link is writable again when its queue has fallen below this many bytes; 2 MiB
 * @param queueBytesHigh a link is not writable while its queue is above this many bytes; 8 MiB
 * @param queueBytesMax frames are dropped while the queue of a link is above this many bytes; 64 MiB
 * @param writeBufferBytesLow more is handed to the socket when it has fewer bytes than this; 128 KiB
 * @param writeBufferBytesHigh how many bytes are handed to the socket, which urgent frames can no longer overtake. With epoll
 *     the operating system takes at most as many unsent bytes again. With NIO its send buffer has this size, which bounds the
 *     throughput of a link to this many bytes per round trip; 256 KiB
 * @param tls how links are encrypted, and how nodes prove who they are; null: they are not and do not
 * @param secret what all nodes of the cluster know: links are set up only between nodes that prove it to each other, and are
 *     encrypted; null: no secret
 * @param openToAnyoneWhoReachesThePort whether the node may listen beyond the loopback interface although nothing protects its links.
 *     Whoever reaches the port can then join the cluster, read copies and delete entries; false
 */
public record NettyTransportConfig(
        String cluster,
        @Nullable String bindAddress,
        int eventLoopThreads,
        boolean nativeTransport,
        Duration handshakeTimeout,
        Duration reconnectDelayMin,
        Duration reconnectDelayMax,
        Duration unacknowledgedTimeout,
        int frameBytesMax,
        long queueBytesLow,
        long queueBytesHigh,
        long queueBytesMax,
        int writeBufferBytesLow,
        int writeBufferBytesHigh,
        @Nullable MutualTls tls,
        @Nullable SharedSecret secret,
        boolean openToAnyoneWhoReachesThePort) {
    private static final int CLUSTER_BYTES_MAX = 64;
    private static final Duration LONGEST = Duration.ofDays(1);

    public NettyTransportConfig {
        int clusterBytes = cluster.getBytes(StandardCharsets.UTF_8).length;
        require(
                clusterBytes >= 1 && clusterBytes <= CLUSTER_BYTES_MAX,
                "cluster '" + cluster + "' takes " + clusterBytes + " bytes, allowed are 1 to " + CLUSTER_BYTES_MAX);
        require(
                cluster.chars().noneMatch(Character::isISOControl),
                "cluster contains control characters: use a name that can be printed");
        between("eventLoopThreads", eventLoopThreads, 1, 1024);
        positive("handshakeTimeout", handshakeTimeout);
        positive("reconnectDelayMin", reconnectDelayMin);
        positive("reconnectDelayMax", reconnectDelayMax);
        require(
                reconnectDelayMin.compareTo(reconnectDelayMax) <= 0,
                "reconnectDelayMin " + reconnectDelayMin + " is longer than reconnectDelayMax " + reconnectDelayMax);
        positive("unacknowledgedTimeout", unacknowledgedTimeout);
        between("frameBytesMax", frameBytesMax, 64 << 10, 1 << 30);
        between("queueBytesMax", queueBytesMax, 64 << 10, Long.MAX_VALUE / 2);
        between("queueBytesHigh", queueBytesHigh, 1, queueBytesMax);
        between("queueBytesLow", queueBytesLow, 0, queueBytesHigh);
        between("writeBufferBytesHigh", writeBufferBytesHigh, 1, 1 << 30);
        between("writeBufferBytesLow", writeBufferBytesLow, 1, writeBufferBytesHigh);
        require(
                tls == null || secret == null,
                "tls and secret are both set: links are protected by one of them, leave one out");
    }

    /** Returns the defaults. */
    public static NettyTransportConfig defaults() {
        return builder().build();
    }

    /** Returns a builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Requires that strangers are kept out if they can reach the port.
     *
     * @param ownAddress where the node listens unless {@link #bindAddress} says otherwise, {@code host:port}
     * @throws ConfigurationException if they are not, with what to set
     */
    void requireProtection(String ownAddress) {
        boolean isProtected = secret != null || tls != null;
        if (!isProtected && !openToAnyoneWhoReachesThePort) {
            String fault = OpenPort.fault(bindAddress == null ? ownAddress : bindAddress);
            require(fault == null, String.valueOf(fault));
        }
    }

    LinkSettings toSettings() {
        return new LinkSettings(
                cluster,
                bindAddress,
                eventLoopThreads,
                nativeTransport,
                (int) handshakeTimeout.toMillis(),
                reconnectDelayMin.toNanos(),
                reconnectDelayMax.toNanos(),
                (int) unacknowledgedTimeout.toMillis(),
                frameBytesMax,
                queueBytesLow,
                queueBytesHigh,
                queueBytesMax,
                writeBufferBytesLow,
                writeBufferBytesHigh,
                tls == null ? null : tls.setup(),
                secret == null ? List.of() : secret.accepted());
    }

    private static void positive(String name, Duration value) {
        require(
                value.toMillis() > 0 && value.compareTo(LONGEST) <= 0,
                name + " is " + value + ", allowed is 1 ms to 1 day");
    }

    private static void between(String name, long value, long min, long max) {
        require(value >= min && value <= max, name + " is " + value + ", allowed are " + min + " to " + max);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new ConfigurationException(message);
        }
    }

    /** Collects settings. Each setter returns the builder. */
    public static final class Builder {
        private String cluster = "georep";
        private @Nullable String bindAddress;
        private int eventLoopThreads = 1;
        private boolean nativeTransport = true;
        private Duration handshakeTimeout = Duration.ofSeconds(5);
        private Duration reconnectDelayMin = Duration.ofMillis(100);
        private Duration reconnectDelayMax = Duration.ofSeconds(10);
        private Duration unacknowledgedTimeout = Duration.ofSeconds(60);
        private int frameBytesMax = 80 << 20;
        private long queueBytesLow = 2L << 20;
        private long queueBytesHigh = 8L << 20;
        private long queueBytesMax = 64L << 20;
        private int writeBufferBytesLow = 128 << 10;
        private int writeBufferBytesHigh = 256 << 10;
        private @Nullable SharedSecret secret;
        private boolean openToAnyoneWhoReachesThePort;
        private @Nullable MutualTls tls;

        private Builder() {}

        public Builder cluster(String value) {
            cluster = value;
            return this;
        }

        public Builder bindAddress(@Nullable String value) {
            bindAddress = value;
            return this;
        }

        public Builder eventLoopThreads(int value) {
            eventLoopThreads = value;
            return this;
        }

        public Builder nativeTransport(boolean value) {
            nativeTransport = value;
            return this;
        }

        public Builder handshakeTimeout(Duration value) {
            handshakeTimeout = value;
            return this;
        }

        public Builder reconnectDelayMin(Duration value) {
            reconnectDelayMin = value;
            return this;
        }

        public Builder reconnectDelayMax(Duration value) {
            reconnectDelayMax = value;
            return this;
        }

        public Builder unacknowledgedTimeout(Duration value) {
            unacknowledgedTimeout = value;
            return this;
        }

        public Builder frameBytesMax(int value) {
            frameBytesMax = value;
            return this;
        }

        public Builder queueBytesLow(long value) {
            queueBytesLow = value;
            return this;
        }

        public Builder queueBytesHigh(long value) {
            queueBytesHigh = value;
            return this;
        }

        public Builder queueBytesMax(long value) {
            queueBytesMax = value;
            return this;
        }

        public Builder writeBufferBytesLow(int value) {
            writeBufferBytesLow = value;
            return this;
        }

        public Builder writeBufferBytesHigh(int value) {
            writeBufferBytesHigh = value;
            return this;
        }

        public Builder secret(@Nullable SharedSecret value) {
            secret = value;
            return this;
        }

        public Builder openToAnyoneWhoReachesThePort(boolean value) {
            openToAnyoneWhoReachesThePort = value;
            return this;
        }

        public Builder tls(@Nullable MutualTls value) {
            tls = value;
            return this;
        }

        public NettyTransportConfig build() {
            return new NettyTransportConfig(
                    cluster,
                    bindAddress,
                    eventLoopThreads,
                    nativeTransport,
                    handshakeTimeout,
                    reconnectDelayMin,
                    reconnectDelayMax,
                    unacknowledgedTimeout,
                    frameBytesMax,
                    queueBytesLow,
                    queueBytesHigh,
                    queueBytesMax,
                    writeBufferBytesLow,
                    writeBufferBytesHigh,
                    tls,
                    secret,
                    openToAnyoneWhoReachesThePort);
        }
    }
}
