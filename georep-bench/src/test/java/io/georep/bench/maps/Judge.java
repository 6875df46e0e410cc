package io.georep.bench.maps;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The checker of the simulator, from the tests of the core. The demo, which is part of this module, builds without those tests,
 * so they are no dependency; the checker is loaded from where they were compiled.
 */
final class Judge {
    private static final Path CLASSES = Path.of("..", "georep-core", "target", "test-classes");

    private Judge() {}

    /**
     * Throws an {@link AssertionError} with what cannot be explained if a history is not linearizable.
     *
     * @throws IOException if the tests of the core are not compiled
     */
    static void check(List<Operation> history) throws IOException {
        if (!Files.isDirectory(CLASSES)) {
            throw new IOException("there is no " + CLASSES.toAbsolutePath()
                    + ": run with -am, so that the tests of the core are compiled");
        }
        URL[] urls = {CLASSES.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(urls, Judge.class.getClassLoader())) {
            Class<?> operation = loader.loadClass("io.georep.linear.Operation");
            Constructor<?> constructor = operation.getDeclaredConstructors()[0];
            Method kind = loader.loadClass("io.georep.linear.Operation$Kind").getMethod("valueOf", String.class);
            List<Object> operations = new ArrayList<>();
            for (Operation each : history) {
                operations.add(constructor.newInstance(
                        each.key(),
                        kind.invoke(null, each.kind().name()),
                        each.value(),
                        each.expected(),
                        each.invoked(),
                        each.answered(),
                        each.applied(),
                        each.seen(),
                        each.who()));
            }
            loader.loadClass("io.georep.linear.Linearizability")
                    .getMethod("check", List.class)
                    .invoke(null, operations);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof AssertionError unexplained) {
                throw unexplained;
            }
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the checker in the tests of the core has changed", e);
        }
    }
}
