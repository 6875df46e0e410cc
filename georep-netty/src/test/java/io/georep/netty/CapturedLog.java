package io.georep.netty;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.simple.SimpleLogger;
import org.slf4j.spi.LocationAwareLogger;

/** What some loggers write at WARN and above. They are silent in all other tests. */
public final class CapturedLog implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private final List<String> names;

    public CapturedLog(String... names) {
        this.names = List.of(names);
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        this.names.forEach(name -> level(name, LocationAwareLogger.WARN_INT));
    }

    /** Everything that was written so far. */
    public String text() {
        return lines.toString(StandardCharsets.UTF_8);
    }

    private static void level(String name, int level) {
        Logger logger = LoggerFactory.getLogger(name);
        try {
            Field field = SimpleLogger.class.getDeclaredField("currentLogLevel");
            field.setAccessible(true);
            field.setInt(logger, level);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        names.forEach(name -> level(name, LocationAwareLogger.ERROR_INT + 10));
        System.setErr(before);
    }
}
