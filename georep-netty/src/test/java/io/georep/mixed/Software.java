package io.georep.mixed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** Versions of this library that run side by side in one JVM, each with its own classes; all share Netty and RocksDB. */
final class Software {
    private static final Path JARS = Path.of("src", "test", "previous");

    private final String name;
    private final Function<Map<String, Object>, Object> start;

    private Software(String name, ClassLoader classes) {
        this.name = name;
        try {
            @SuppressWarnings("unchecked")
            Function<Map<String, Object>, Object> function =
                    (Function<Map<String, Object>, Object>) classes.loadClass("io.georep.mixed.MixedNode$Start")
                            .getConstructor()
                            .newInstance();
            start = function;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no members of " + name + " can be started", e);
        }
    }

    /** What this build has compiled. */
    static Software current() {
        return new Software("current", Software.class.getClassLoader());
    }

    /** The one jar that {@code .ci/freeze} made. */
    static Software previous() {
        try (Stream<Path> jars = Files.list(JARS)) {
            List<Path> found =
                    jars.filter(file -> file.toString().endsWith(".jar")).toList();
            if (found.size() != 1) {
                throw new IllegalStateException("there must be one jar in " + JARS + ", not " + found
                        + ": .ci/freeze <tag of the last release> makes it");
            }
            URL jar = found.get(0).toUri().toURL();
            return new Software(
                    found.get(0).getFileName().toString(), new URLClassLoader(new URL[] {jar}, new Shared()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What versions share: everything but the library, and of that only the interface of a member. */
    private static final class Shared extends ClassLoader {
        Shared() {
            super(Software.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String type, boolean resolve) throws ClassNotFoundException {
            if (type.startsWith("io.georep.") && !type.equals(Member.class.getName())) {
                throw new ClassNotFoundException(type);
            }
            return super.loadClass(type, resolve);
        }
    }

    /** Starts a node with this software; the settings are those of {@link MixedNode}. */
    Member start(Map<String, Object> settings) {
        return (Member) start.apply(settings);
    }

    @Override
    public String toString() {
        return name;
    }
}
