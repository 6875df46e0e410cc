package io.georep.spring.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.keys.KeySpace;
import io.georep.spring.connect.ConnectorOrders.Target;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What operators order of a connector. */
@Timeout(60)
class ConnectorOrdersTest {
    private static final byte[] BEFORE_THE_START =
            ByteBuffer.allocate(10).put((byte) 1).put((byte) 'R').putLong(7).array();

    private final CompletableFuture<Void> written = new CompletableFuture<>();
    private Runnable whileItReads = () -> {};

    private final ConnectorOrders orders = new ConnectorOrders(
            (KeySpace) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {KeySpace.class},
                    (space, method, arguments) -> method.getName().equals("put") ? written : new Reading()),
            "files");

    /** It began before the next order, and ends after it. */
    private final class Reading extends CompletableFuture<byte[]> {
        @Override
        public byte[] get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            whileItReads.run();
            complete(BEFORE_THE_START);
            return super.get(timeout, unit);
        }
    }

    @Test
    void whatWasLastOrderedHoldsAtTheStart() {
        assertThat(orders.first(10_000)).isEqualTo(Target.RUNNING);
    }

    /** Else the connector would run again until the order is read. */
    @Test
    void anOrderDuringTheStartIsNotUndone() {
        whileItReads = () -> orders.give(Target.STOPPED);

        assertThat(orders.first(10_000)).isNull();
    }

    @Test
    void anOrderDuringTheStartThatIsStoredAtOnceIsNotUndone() {
        written.complete(null);
        whileItReads = () -> orders.give(Target.STOPPED);

        assertThat(orders.first(10_000)).isNull();
    }

    @Test
    void anOrderThatIsStoredDuringTheStartIsNotUndone() {
        orders.give(Target.STOPPED);
        whileItReads = () -> written.complete(null);

        assertThat(orders.first(10_000)).isNull();
    }
}
