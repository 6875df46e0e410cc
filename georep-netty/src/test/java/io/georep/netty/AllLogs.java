package io.georep.netty;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.simple.SimpleLogger;
import org.slf4j.simple.SimpleLoggerFactory;
import org.slf4j.spi.LocationAwareLogger;

/** Everything that the library logs, at all levels, by loggers that are there and by those to come. */
final class AllLogs implements AutoCloseable {
    /** Loggers that come get the level of the longest name; the configuration names these. */
    private static final List<String> NAMES = List.of("io.georep", "io.georep.netty");

    private static final int OFF = LocationAwareLogger.ERROR_INT + 10;
    private static final int WARN = LocationAwareLogger.WARN_INT;

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private final Map<Logger, Integer> levels = new LinkedHashMap<>();

    AllLogs() {
        NAMES.forEach(name -> System.setProperty(property(name), "trace"));
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        loggers().forEach((name, logger) -> {
            if (name.startsWith(NAMES.get(0))) {
                levels.put(logger, level(logger, LocationAwareLogger.TRACE_INT));
            }
        });
    }

    private static String property(String name) {
        return "org.slf4j.simpleLogger.log." + name;
    }

    /** What was written so far. */
    String text() {
        return lines.toString(StandardCharsets.UTF_8);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Logger> loggers() {
        try {
            Field map = SimpleLoggerFactory.class.getDeclaredField("loggerMap");
            map.setAccessible(true);
            return (Map<String, Logger>) map.get(LoggerFactory.getILoggerFactory());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int level(Logger logger, int level) {
        try {
            Field field = SimpleLogger.class.getDeclaredField("currentLogLevel");
            field.setAccessible(true);
            int old = field.getInt(logger);
            field.setInt(logger, level);
            return old;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        NAMES.forEach(name -> System.clearProperty(property(name)));
        loggers().forEach((name, logger) -> {
            if (name.startsWith(NAMES.get(0))) {
                level(logger, levels.getOrDefault(logger, name.startsWith(NAMES.get(1)) ? OFF : WARN));
            }
        });
        System.setErr(before);
    }
}
