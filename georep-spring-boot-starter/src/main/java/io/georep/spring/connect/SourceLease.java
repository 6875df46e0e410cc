package io.georep.spring.connect;

import io.georep.PeerStatus;
import io.georep.keys.KeySpace;
import io.georep.model.PeerState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says on which node a source runs. The nodes share a record with the name of that node. Another node replaces it when that node has
 * given the source back, is Terminated, or has restarted without it. While the network is split, both sides may run the source, and
 * its records may come twice; then all see the same record again, and one of them stops. For one thread.
 *
 * <p>The record is a version, an i64 that is new with each claim, and the name of the node in UTF-8.
 */
final class SourceLease {
    private static final Logger LOG = LoggerFactory.getLogger(SourceLease.class);
    private static final byte VERSION = 1;
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long WAIT_SECONDS = 15;
    private static final long GIVE_BACK_SECONDS = 2;

    private final HostParts host;
    private final KeySpace space;
    private final String connector;
    private final String self;
    private long nonce;
    private long claimedAtNanos;
    private boolean held;

    /** What another node has claimed, in which of its boots, and when that was so last. */
    private @Nullable Claim seen;

    private long seenOf;
    private long seenAtNanos;

    SourceLease(HostParts host, KeySpace space, String connector) {
        this.host = host;
        this.space = space;
        this.connector = connector;
        this.self = host.node().identity().id().value();
    }

    /** The record: which node, and which of its claims. */
    record Claim(String node, long nonce) {
        byte[] write() {
            byte[] name = node.getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.allocate(9 + name.length)
                    .put(VERSION)
                    .putLong(nonce)
                    .put(name)
                    .array();
        }

        static Claim read(byte[] bytes, String connector) {
            ByteBuffer record = ByteBuffer.wrap(bytes);
            if (bytes.length < 10 || record.get() != VERSION) {
                throw new ConnectException("the record that says where source " + connector
                        + " runs is of another version: update this library on this node");
            }
            long nonce = record.getLong();
            return new Claim(new String(bytes, 9, bytes.length - 9, StandardCharsets.UTF_8), nonce);
        }
    }

    /**
     * Returns whether the source runs on this node now. If it runs nowhere, this node claims it, and a later call
     * returns true.
     */
    boolean held() throws Exception {
        Claim claim = read(WAIT_SECONDS);
        if (claim == null || (!claim.node().equals(self) && isGone(claim))) {
            claim(claim == null ? "nobody has it" : "node " + claim.node() + " is gone");
            return false; // another node may claim it at the same time
        }
        if (!claim.node().equals(self)) {
            held = false;
            return false;
        }
        if (held) {
            return true;
        }
        if (claim.nonce() != nonce || nonce == 0) {
            claim("this node had it before its restart");
            return false;
        }
        held = System.nanoTime() - claimedAtNanos >= SETTLE_NANOS;
        return held;
    }

    /** Gives the source back, so that another node takes it at once. What another has claimed meanwhile is that one's. */
    void giveBack() {
        if (nonce != 0) {
            held = false;
            Claim own = new Claim(self, nonce);
            nonce = 0;
            Quietly.run("giving source " + connector + " back", () -> {
                if (own.equals(read(GIVE_BACK_SECONDS))) {
                    space.delete(key()).toCompletableFuture().get(GIVE_BACK_SECONDS, TimeUnit.SECONDS);
                }
            });
        }
    }

    private void claim(String why) throws Exception {
        LOG.info("Node {} claims source {}: {}", self, connector, why);
        held = false;
        nonce = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        try {
            space.put(key(), new Claim(self, nonce).write())
                    .toCompletableFuture()
                    .get(WAIT_SECONDS, TimeUnit.SECONDS);
        } finally {
            claimedAtNanos = System.nanoTime(); // a claim that failed may count nevertheless
        }
    }

    private @Nullable Claim read(long seconds) throws Exception {
        byte[] bytes = space.get(key()).toCompletableFuture().get(seconds, TimeUnit.SECONDS);
        return bytes == null ? null : Claim.read(bytes, connector);
    }

    private String key() {
        return "lease/" + connector;
    }

    /**
     * If this node has not heard another one since its own start, that node counts as gone after the time in which it
     * would be given up.
     */
    private boolean isGone(Claim claim) {
        List<PeerStatus> peers = host.node().peers();
        for (PeerStatus peer : peers) {
            if (peer.id().value().equals(claim.node())) {
                return peer.state() == PeerState.TERMINATED
                        || (peer.state() == PeerState.PROSPECT && peer.since().compareTo(host.failoverAfter()) > 0)
                        || (peer.state() == PeerState.ACTIVE && isBackWithout(claim, peer.incarnation()));
            }
        }
        return true;
    }

    /** After a restart, a node claims anew what it had. One that does not do so has no such connector any more. */
    private boolean isBackWithout(Claim claim, long incarnation) {
        if (!claim.equals(seen) || incarnation == seenOf) {
            seen = claim;
            seenOf = incarnation;
            seenAtNanos = System.nanoTime();
            return false;
        }
        return System.nanoTime() - seenAtNanos > host.failoverAfter().toNanos();
    }
}
