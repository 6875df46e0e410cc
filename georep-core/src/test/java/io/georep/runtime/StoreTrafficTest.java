package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.BrokenInvariantException;
import io.georep.model.ProtocolConfig;
import org.junit.jupiter.api.Test;

/** What waits for a batch of the store: neither let go before it, nor kept for ever. */
class StoreTrafficTest {
    private final IdleStore store = new IdleStore();
    private final StoreTraffic traffic =
            new StoreTraffic(store, new StoreWatch(StoreWatch.Limits.of(ProtocolConfig.defaults())));

    @Test
    void nothingIsLetGoBeforeItsOwnBatchIsDurable() {
        StoreTraffic.Pending first = traffic.dependent();
        traffic.submit();
        StoreTraffic.Pending second = traffic.dependent();
        traffic.submit();
        assertThat(traffic.nextReady()).isNull();

        traffic.durable(1);
        assertThat(traffic.nextReady()).isSameAs(first);
        assertThat(traffic.nextReady()).isNull();

        traffic.durable(2);
        assertThat(traffic.nextReady()).isSameAs(second);
    }

    @Test
    void whatWaitsForNothingWrittenIsLetGoOnceAnEmptyBatchIsDurable() {
        StoreTraffic.Pending waiting = traffic.dependent();

        traffic.submit();
        assertThat(store.batches)
                .singleElement()
                .satisfies(batch -> assertThat(batch.isEmpty()).isTrue());

        traffic.durable(1);
        assertThat(traffic.nextReady()).isSameAs(waiting);
    }

    /** Else everybody would be told that something is durable which may be lost. */
    @Test
    void aStoreCannotHaveMoreThanItWasGiven() {
        traffic.dependent();
        traffic.submit();

        assertThatThrownBy(() -> traffic.durable(2))
                .isInstanceOf(BrokenInvariantException.class)
                .hasMessageContaining("the store calls batch 2 durable");
    }

    @Test
    void aTurnThatLeavesNothingToWriteAsksNothingOfTheStore() {
        traffic.submit();

        assertThat(store.batches).isEmpty();
        assertThat(traffic.backlog()).isZero();
    }
}
