package io.georep.spring.connect;

import io.georep.logging.SafeLog;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides, as {@code errors.*} says, whether a task goes on without a record that cannot be processed. Thread-safe.
 */
final class BadRecords {
    private static final Logger LOG = LoggerFactory.getLogger(BadRecords.class);

    private final ConnectorSettings settings;
    private final int task;

    BadRecords(ConnectorSettings settings, int task) {
        this.settings = settings;
        this.task = task;
    }

    /**
     * Logs a bad record if the settings say so.
     *
     * @param record what the log calls it
     * @param detail what else the log says of it; null for nothing
     * @throws ConnectException if the settings do not tolerate it
     */
    void tolerate(String record, @Nullable String detail, RecordFailedException failure) {
        if (settings.logsErrors()) {
            SafeLog.log(
                    LOG,
                    "Connector {}, task {}: {}{} failed at {} in {}",
                    settings.name(),
                    task,
                    record,
                    detail == null ? "" : " (" + detail + ")",
                    failure.stage(),
                    failure.executing().getName(),
                    failure.error());
        }
        if (!settings.toleratesErrors()) {
            throw new ConnectException(
                    failure.getMessage() + ". With errors.tolerance=all such records are set aside", failure.error());
        }
    }
}
