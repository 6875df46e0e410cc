package io.georep.spring.connect;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The classes of one plugin, in a directory of its own. They come before those of the application, except for what
 * plugin and host must share: the plugin API, Kafka's clients, which are part of it, and the logging API.
 */
final class PluginClassLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    private static final List<String> SHARED = List.of("org.apache.kafka.", "org.slf4j.", "io.georep.spring.");

    /** Below {@code org.apache.kafka.}, but plugins themselves. */
    private static final List<String> PLUGINS = List.of(
            "org.apache.kafka.connect.json.",
            "org.apache.kafka.connect.file.",
            "org.apache.kafka.connect.mirror.",
            "org.apache.kafka.connect.converters.",
            "org.apache.kafka.connect.transforms.");

    private static final List<String> API = List.of(
            "org.apache.kafka.connect.transforms.Transformation",
            "org.apache.kafka.connect.transforms.predicates.Predicate");

    private final Path place;

    PluginClassLoader(Path place, List<URL> jars, ClassLoader application) {
        super("georep-plugin-" + place.getFileName(), jars.toArray(URL[]::new), application);
        this.place = place;
    }

    /** Returns the directory or the jar of the plugin. */
    Path place() {
        return place;
    }

    /** Makes a class of the host one of the plugin's. Only once for each. */
    Class<?> define(Class<?> own) throws IOException {
        try (InputStream file = own.getResourceAsStream(own.getSimpleName() + ".class")) {
            byte[] bytes = Objects.requireNonNull(file, own.getName()).readAllBytes();
            return defineClass(own.getName(), bytes, 0, bytes.length);
        }
    }

    static boolean isShared(String name) {
        return API.contains(name)
                || (SHARED.stream().anyMatch(name::startsWith)
                        && PLUGINS.stream().noneMatch(name::startsWith));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                loaded = isShared(name) ? null : own(name);
            }
            if (loaded == null) {
                return super.loadClass(name, resolve);
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    private @Nullable Class<?> own(String name) {
        try {
            return ClassLoader.getPlatformClassLoader().loadClass(name);
        } catch (ClassNotFoundException ignored) {
            // not of the JDK
        }
        try {
            return findClass(name);
        } catch (ClassNotFoundException ignored) {
            return null; // the application may have it
        }
    }

    @Override
    public @Nullable URL getResource(String name) {
        URL own = findResource(name);
        return own == null ? super.getResource(name) : own;
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> all = new ArrayList<>(Collections.list(findResources(name)));
        all.addAll(Collections.list(getParent().getResources(name)));
        return Collections.enumeration(all);
    }
}
