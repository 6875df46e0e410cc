package io.georep.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.GeoRepNode;
import io.georep.spring.Outboxes;
import io.georep.spring.boot.actuate.ReadinessTarget;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReadinessWatchTest {
    @Test
    void looksAgainAfterAnError() throws Exception {
        CountDownLatch looks = new CountDownLatch(2);
        Outboxes broken = broken(Outboxes.class, looks);
        ReadinessWatch watch =
                new ReadinessWatch(broken(GeoRepNode.class, looks), broken, new ReadinessTarget(null, 1));
        watch.start();
        try {
            assertThat(looks.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            watch.stop();
        }
    }

    private static <T> T broken(Class<T> type, CountDownLatch calls) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    calls.countDown();
                    throw new NoClassDefFoundError("for the test");
                }));
    }
}
