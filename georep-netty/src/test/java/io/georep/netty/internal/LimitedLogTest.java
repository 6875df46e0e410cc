package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class LimitedLogTest {
    private final List<String> lines = new ArrayList<>();
    private long now;
    private final LimitedLog log = new LimitedLog(recorder(), () -> now);

    private Logger recorder() {
        return (Logger) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    lines.add(Arrays.deepToString(arguments));
                    return null;
                });
    }

    @Test
    void writesTheFirstLinesOfAMinute() {
        for (int i = 0; i < 1000; i++) {
            log.warn("line");
        }

        assertThat(lines).hasSize(LimitedLog.LINES);
    }

    @Test
    void saysHowManyLinesWereLeftOut() {
        for (int i = 0; i < LimitedLog.LINES + 7; i++) {
            log.warn("line");
        }
        now += TimeUnit.MINUTES.toNanos(1);

        log.warn("next");
        log.warn("after");

        assertThat(lines.get(LimitedLog.LINES)).contains("next").contains("7");
        assertThat(lines.get(LimitedLog.LINES + 1)).contains("after").doesNotContain("7");
    }
}
