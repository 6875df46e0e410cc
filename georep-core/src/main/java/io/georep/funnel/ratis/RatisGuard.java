package io.georep.funnel.ratis;

import java.lang.Thread.UncaughtExceptionHandler;
import org.apache.ratis.util.ExitUtils;

/**
 * Keeps Ratis from ending the JVM. It was written for processes of its own: it calls {@link System#exit} if its port is taken, and,
 * once its class {@code ExitUtils} is loaded, whenever any thread of the application ends by an exception.
 */
final class RatisGuard {
    static {
        UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        ExitUtils.disableSystemExit();
        Thread.setDefaultUncaughtExceptionHandler(before);
    }

    private RatisGuard() {}

    /** To be called before anything of Ratis. */
    static void set() {
        // All is done when this class is loaded.
    }
}
