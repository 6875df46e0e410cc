package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.spi.EntryStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store is closed whatever happens, or its directory would stay in use. */
@Timeout(60)
class StoreCloserTest {
    @Test
    void closesAgainWhatHadNoMemoryToClose() {
        AtomicInteger attempts = new AtomicInteger();
        EntryStore starved = (EntryStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {EntryStore.class}, (proxy, method, arguments) -> {
                    if (attempts.incrementAndGet() <= 2) {
                        throw new OutOfMemoryError("no memory to close with");
                    }
                    return null;
                });

        StoreCloser.close(starved, "closer-under-test", Duration.ofSeconds(20));

        assertThat(attempts).hasValue(3);
    }
}
