package io.georep.spring.transaction;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.NodeId;
import io.georep.outbox.Outbox;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

class UndecidedEntriesTest {
    /** Its thread may not start, for example. Entries that are found later would never be asked about. */
    @Test
    void aCheckThatCouldNotBeScheduledDoesNotKeepTheNextOneAway() {
        AtomicReference<LongConsumer> found = new AtomicReference<>();
        Outbox<?> outbox = (Outbox<?>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Outbox.class}, (self, method, arguments) -> {
                    if (method.getName().equals("onUndecided")) {
                        found.set((LongConsumer) arguments[0]);
                    }
                    return method.getName().equals("name") ? "sms" : null;
                });
        TransactionSettings never =
                new TransactionSettings(Duration.ZERO, Duration.ofSeconds(Long.MAX_VALUE), Duration.ZERO);
        try (UndecidedEntries undecided =
                new UndecidedEntries(NodeId.of("n1"), never, new TransactionalSends(never, () -> false), List::of)) {
            undecided.opened(outbox, null, 0);

            assertThatThrownBy(() -> found.get().accept(1)).isInstanceOf(ArithmeticException.class);
            assertThatThrownBy(() -> found.get().accept(1)).as("it is tried").isInstanceOf(ArithmeticException.class);
        }
    }
}
