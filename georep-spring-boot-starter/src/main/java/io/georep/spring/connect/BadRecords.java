package io.georep.spring.connect;

import io.georep.outbox.SendOptions;
import io.georep.spring.DeadLetterException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What becomes of records that cannot be processed, as {@code errors.*} says. Thread-safe. */
final class BadRecords {
    private static final Logger LOG = LoggerFactory.getLogger(BadRecords.class);
    private static final String PREFIX = "__connect.errors.";

    private final ConnectorSettings settings;
    private final int task;
    private final Function<String, RawOutboxes.Raw<?>> outboxes;

    BadRecords(ConnectorSettings settings, int task, Function<String, RawOutboxes.Raw<?>> outboxes) {
        this.settings = settings;
        this.task = task;
        this.outboxes = outboxes;
    }

    /**
     * Sets an entry aside, if the settings tolerate it: as a dead letter of its outbox, or as a copy in another outbox.
     *
     * @return a stage that ends when the entry needs no more forwarding
     * @throws ConnectException if the settings do not tolerate it
     */
    CompletableFuture<Void> setAside(SinkEntry entry, int partition, RecordFailedException failure) {
        log(
                "entry " + entry.delivery().id() + " of outbox " + entry.topic(),
                settings.logsMessages() ? entry.payload().length + " bytes of payload" : null,
                failure);
        mustTolerate(failure);
        String other = settings.deadLetterOutbox();
        if (other == null) {
            entry.fail(new DeadLetterException(describe(failure), failure.error()));
            return CompletableFuture.completedFuture(null);
        }
        Map<String, String> headers = new LinkedHashMap<>(entry.delivery().headers());
        if (settings.deadLetterHeaders()) {
            addContext(headers, entry, partition, failure);
        }
        return outboxes.apply(other)
                .send(entry.payload(), SendOptions.defaults().headers(headers))
                .thenAccept(id -> entry.forwarded())
                .toCompletableFuture();
    }

    /** Drops a record of a source, if the settings tolerate it: there is no entry yet. */
    void drop(String record, RecordFailedException failure) {
        log(record, null, failure);
        mustTolerate(failure);
    }

    private void mustTolerate(RecordFailedException failure) {
        if (!settings.toleratesErrors()) {
            throw new ConnectException(
                    describe(failure) + ". With errors.tolerance=all such records are set aside", failure.error());
        }
    }

    private void log(String what, @Nullable String detail, RecordFailedException failure) {
        if (settings.logsErrors()) {
            LOG.error(
                    "Connector {}, task {}: {}{} failed at {} in {}",
                    settings.name(),
                    task,
                    what,
                    detail == null ? "" : " (" + detail + ")",
                    failure.stage(),
                    failure.executing().getName(),
                    failure.error());
        }
    }

    private static String describe(RecordFailedException failure) {
        return failure.stage() + " failed in " + failure.executing().getName() + ": " + failure.error();
    }

    private void addContext(
            Map<String, String> headers, SinkEntry entry, int partition, RecordFailedException failure) {
        Throwable error = failure.error();
        headers.put(PREFIX + "topic", entry.topic());
        headers.put(PREFIX + "partition", String.valueOf(partition));
        headers.put(PREFIX + "offset", String.valueOf(entry.offset()));
        headers.put(PREFIX + "connector.name", settings.name());
        headers.put(PREFIX + "task.id", String.valueOf(task));
        headers.put(PREFIX + "stage", failure.stage().name());
        headers.put(PREFIX + "class.name", failure.executing().getName());
        headers.put(PREFIX + "exception.class.name", error.getClass().getName());
        headers.put(PREFIX + "exception.message", String.valueOf(error.getMessage()));
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        headers.put(PREFIX + "exception.stacktrace", trace.toString());
    }
}
