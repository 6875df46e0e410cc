package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.PeerStatus;
import io.georep.keys.KeySpace;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.PeerState;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which node runs a source. */
@Timeout(60)
class SourceLeaseTest {
    private final GeoRepNode node = GeoRepNode.builder()
            .nodeId("a")
            .durability(Durability.MEMORY)
            .copiesMax(0)
            .start();
    private byte[] record;
    private boolean confirms;
    private long boot = 1;

    /** Stores what is put, and says that it failed, or not. */
    private final KeySpace space = (KeySpace) Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {KeySpace.class},
            (self, method, arguments) -> switch (method.getName()) {
                case "put" -> {
                    record = (byte[]) arguments[1];
                    yield confirms
                            ? CompletableFuture.completedFuture(null)
                            : CompletableFuture.failedFuture(new IllegalStateException("nobody confirms"));
                }
                case "delete" -> {
                    record = null;
                    yield CompletableFuture.completedFuture(null);
                }
                case "get" -> CompletableFuture.completedFuture(record);
                default -> throw new UnsupportedOperationException(method.getName());
            });

    @AfterEach
    void stop() {
        node.close(Duration.ZERO);
    }

    /** Another node may have claimed it at the same time, and be seen a moment later. */
    @Test
    void aClaimThatNobodyConfirmsSettlesBeforeItIsHeld() throws Exception {
        SourceLease lease = lease();
        long begun = System.nanoTime();
        assertThatThrownBy(lease::held).isInstanceOf(ExecutionException.class);

        boolean held = lease.held();

        assertThat(held && System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(1))
                .isFalse();
        await().until(lease::held);
    }

    /** It has just started, and has heard of nobody yet. */
    @Test
    void aNodeWithoutPeersWaitsAsWell() throws Exception {
        confirms = true;
        SourceLease lease = lease();

        assertThat(lease.held()).isFalse();
        await().until(lease::held);
    }

    /** This one was cut off, for example, and given up. */
    @Test
    void whatAnotherNodeHasClaimedIsNotGivenBack() throws Exception {
        confirms = true;
        SourceLease lease = lease();
        await().until(lease::held);
        byte[] others = new SourceLease.Claim("b", 7).write();
        record = others;

        lease.giveBack();

        assertThat(record).isEqualTo(others);
    }

    @Test
    void whatIsItsOwnIsGivenBack() throws Exception {
        confirms = true;
        SourceLease lease = lease();
        await().until(lease::held);

        lease.giveBack();

        assertThat(record).isNull();
    }

    /** It has just claimed it, or nobody has confirmed that. Nobody else would run the source until it is given up. */
    @Test
    void whatIsClaimedAndNotHeldYetIsGivenBack() {
        SourceLease lease = lease();
        assertThatThrownBy(lease::held).isInstanceOf(ExecutionException.class);

        lease.giveBack();

        assertThat(record).isNull();
    }

    /** It crashed, and is up again with other settings. It lives, so it is never given up. */
    @Test
    void aNodeThatCameBackWithoutTheSourceLosesIt() throws Exception {
        confirms = true;
        SourceLease lease = lease(besides("b"), Duration.ZERO);
        byte[] before = new SourceLease.Claim("b", 7).write();
        record = before;
        for (int i = 0; i < 3; i++) {
            assertThat(lease.held()).isFalse();
        }
        assertThat(record).as("node b has it").isEqualTo(before);
        boot++;
        record = new SourceLease.Claim("b", 8).write();
        assertThat(lease.held()).isFalse();
        assertThat(record).as("node b has it again").isEqualTo(new SourceLease.Claim("b", 8).write());

        boot++;

        await().until(lease::held);
    }

    /** It has to hear first what it missed. */
    @Test
    void aNodeThatCameBackHasTimeToClaimWhatItHad() throws Exception {
        confirms = true;
        SourceLease lease = lease(besides("b"), Duration.ofHours(1));
        byte[] before = new SourceLease.Claim("b", 7).write();
        record = before;
        assertThat(lease.held()).isFalse();

        boot++;

        assertThat(lease.held()).isFalse();
        assertThat(record).isEqualTo(before);
    }

    /** This node, with another one that it hears. */
    private GeoRepNode besides(String other) {
        return (GeoRepNode) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {GeoRepNode.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "identity" -> node.identity();
                    case "peers" ->
                        List.of(new PeerStatus(
                                NodeId.of(other),
                                "",
                                PeerState.ACTIVE,
                                Duration.ofDays(1),
                                boot,
                                null,
                                null,
                                true,
                                true,
                                false,
                                false,
                                null,
                                false));
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private SourceLease lease() {
        return lease(node, Duration.ofSeconds(1));
    }

    private SourceLease lease(GeoRepNode node, Duration failoverAfter) {
        HostParts host = new HostParts(node, null, null, 0, failoverAfter, Duration.ofSeconds(1));
        return new SourceLease(host, space, "s");
    }
}
