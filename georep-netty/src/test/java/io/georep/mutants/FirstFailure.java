package io.georep.mutants;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests one after the other in a process of its own and ends it at the first that fails, hangs or cannot be found.
 * The last line says how it went: {@code PASSED number}, or {@code FAILED class#method message}.
 */
final class FirstFailure implements TestExecutionListener {
    static final String PASSED = "=== PASSED ";
    static final String FAILED = "=== FAILED ";

    /** Where the many seeds run: it alone may take longer than {@link #HANGS_AFTER_SECONDS}. */
    private static final String SIMULATION = "io.georep.simulation.SimulationTest";

    /** What one test may take before it counts as hanging. */
    private static final long HANGS_AFTER_SECONDS = 90;

    private final Object lock = new Object();
    private String running = "nothing";
    private long runningSince = System.nanoTime();
    private long passed;

    private FirstFailure() {}

    /** Runs tests, each {@code Class}, {@code Class#method} or {@code seed N}, in this order. */
    public static void main(String[] tests) {
        FirstFailure watcher = new FirstFailure();
        Thread clock = new Thread(watcher::watch, "hanging tests");
        clock.setDaemon(true);
        clock.start();
        try {
            watcher.runAll(tests);
        } catch (Throwable e) {
            e.printStackTrace(System.out);
            watcher.end(FAILED + watcher.running + " " + e, 1);
        }
        watcher.end(PASSED + watcher.passed, 0);
    }

    private void runAll(String[] tests) {
        Launcher launcher = LauncherFactory.create();
        for (String test : tests) {
            LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                    .selectors(selectors(test))
                    .filters(TagFilter.excludeTags("soak"))
                    .build();
            long since = System.nanoTime();
            launcher.execute(request, this);
            System.out.printf("%5d ms %s%n", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since), test);
        }
    }

    private static List<DiscoverySelector> selectors(String test) {
        try {
            if (test.startsWith("seed ")) {
                System.setProperty("seed", test.substring("seed ".length()));
                return List.of(DiscoverySelectors.selectMethod(Class.forName(SIMULATION), "replay"));
            }
            int hash = test.indexOf('#');
            Class<?> type = Class.forName(hash < 0 ? test : test.substring(0, hash));
            List<DiscoverySelector> selectors = new ArrayList<>();
            for (Class<?> owner = type; hash >= 0 && owner != null; owner = owner.getSuperclass()) {
                for (Method method : owner.getDeclaredMethods()) {
                    if (method.getName().equals(test.substring(hash + 1))) {
                        selectors.add(DiscoverySelectors.selectMethod(type, method));
                    }
                }
            }
            return selectors.isEmpty() ? List.of(DiscoverySelectors.selectClass(type)) : selectors;
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException("there is no test " + test, e);
        }
    }

    private void watch() {
        while (true) {
            try {
                TimeUnit.SECONDS.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
            synchronized (lock) {
                long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - runningSince);
                if (seconds > HANGS_AFTER_SECONDS && !running.startsWith(SIMULATION)) {
                    end(FAILED + running + " hangs", 1);
                }
            }
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        synchronized (lock) {
            running = name(test);
            runningSince = System.nanoTime();
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
            Throwable cause = result.getThrowable().orElseThrow();
            String message = String.valueOf(cause.getMessage()).strip();
            System.out.println(message);
            end(FAILED + name(test) + " " + cause.getClass().getSimpleName() + " " + seed(message), 1);
        }
        passed += test.isTest() ? 1 : 0;
    }

    private static String seed(String message) {
        int at = message.lastIndexOf("-Dseed=");
        return at < 0
                ? ""
                : "seed " + message.substring(at + "-Dseed=".length()).strip();
    }

    private static String name(TestIdentifier test) {
        return test.getSource()
                .map(source -> source instanceof MethodSource method
                        ? method.getClassName() + "#" + method.getMethodName()
                        : test.getLegacyReportingName())
                .orElse(test.getDisplayName());
    }

    /** Ends the process at once: what hangs in other threads must not hold it up. */
    private void end(String line, int status) {
        synchronized (lock) {
            System.out.println();
            System.out.println(line);
            System.out.flush();
            Runtime.getRuntime().halt(status);
        }
    }
}
