package io.georep.spring.connect;

import io.georep.logging.SafeLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends parts of plugins. If that fails, it is logged, and nothing else stops. */
final class Quietly {
    private static final Logger LOG = LoggerFactory.getLogger(Quietly.class);

    private Quietly() {}

    static void run(String what, Action action) {
        try {
            action.run();
        } catch (Throwable e) {
            SafeLog.log(LOG, "Connector host: {} failed", what, e);
        }
    }

    /** Something that may fail. */
    @FunctionalInterface
    interface Action {
        void run() throws Exception;
    }
}
