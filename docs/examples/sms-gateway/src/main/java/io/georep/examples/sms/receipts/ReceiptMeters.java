package io.georep.examples.sms.receipts;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/** Counts what becomes of receipts: meter {@code sms.receipts} with tag {@code outcome}. Thread-safe. */
@Component
class ReceiptMeters {
    private final MeterRegistry registry;

    ReceiptMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    void count(String outcome) {
        Counter.builder("sms.receipts")
                .description("What became of delivery receipts")
                .tag("outcome", outcome)
                .register(registry)
                .increment();
    }
}
