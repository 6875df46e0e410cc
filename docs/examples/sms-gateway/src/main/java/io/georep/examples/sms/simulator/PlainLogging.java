package io.georep.examples.sms.simulator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** Logging for programs that are not started by Spring Boot: warnings only, and nothing from jSMPP. */
public final class PlainLogging {
    private PlainLogging() {}

    /** Sets the levels. */
    public static void set() {
        level(Logger.ROOT_LOGGER_NAME, Level.WARN);
        level("org.jsmpp", Level.OFF);
    }

    private static void level(String name, Level level) {
        if (LoggerFactory.getLogger(name) instanceof Logger logger) {
            logger.setLevel(level);
        }
    }
}
