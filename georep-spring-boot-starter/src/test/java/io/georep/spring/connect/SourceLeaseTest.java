package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.georep.GeoRepNode;
import io.georep.keys.KeySpace;
import io.georep.model.Durability;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which node runs a source. */
@Timeout(60)
class SourceLeaseTest {
    private byte[] record;

    /** Stores what is put, and says that it failed. */
    private final KeySpace doubtful = (KeySpace) Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {KeySpace.class},
            (self, method, arguments) -> switch (method.getName()) {
                case "put" -> {
                    record = (byte[]) arguments[1];
                    yield CompletableFuture.failedFuture(new IllegalStateException("nobody confirms"));
                }
                case "get" -> CompletableFuture.completedFuture(record);
                default -> throw new UnsupportedOperationException(method.getName());
            });

    /** Another node may have claimed it at the same time, and be seen a moment later. */
    @Test
    void aClaimThatNobodyConfirmsSettlesBeforeItIsHeld() throws Exception {
        GeoRepNode node = GeoRepNode.builder()
                .nodeId("a")
                .durability(Durability.MEMORY)
                .copiesMax(0)
                .start();
        try {
            HostParts host = new HostParts(node, null, null, 0, Duration.ofSeconds(1), Duration.ofSeconds(1));
            SourceLease lease = new SourceLease(host, doubtful, "s");
            long begun = System.nanoTime();
            assertThatThrownBy(lease::held).isInstanceOf(ExecutionException.class);

            boolean held = lease.held();

            assertThat(held && System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(1))
                    .isFalse();
            await().until(lease::held);
        } finally {
            node.close(Duration.ZERO);
        }
    }
}
