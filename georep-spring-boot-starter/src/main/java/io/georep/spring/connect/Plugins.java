package io.georep.spring.connect;

import io.georep.model.ConfigurationException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.source.SourceConnector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds plugins by class or by name, in the plugin directories first and then in the application. Names are those of classes that
 * plugins list for {@link ServiceLoader}, with or without {@code Connector} or {@code Converter} at their end.
 */
final class Plugins implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);
    private static final String RUNTIME_BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter";

    private final ClassLoader application;
    private final List<PluginClassLoader> directories = new ArrayList<>();

    /**
     * Looks into the directories.
     *
     * @param path directories; each jar in them, and each directory with jars or classes in them, is a plugin
     * @throws ConfigurationException if one cannot be read
     */
    Plugins(ClassLoader application, List<Path> path) {
        this.application = application;
        for (Path directory : path) {
            for (Path place : children(directory)) {
                List<URL> jars = jars(place);
                if (!jars.isEmpty()) {
                    directories.add(new PluginClassLoader(place, jars, application));
                }
            }
        }
        directories.forEach(plugin -> JdbcDrivers.register(plugin, application));
    }

    /**
     * Nothing of this process keeps the plugins any more. The loaders stay open, because a task that does not end may need
     * classes; their files are closed when they are collected.
     */
    @Override
    public void close() {
        directories.forEach(JdbcDrivers::remove);
    }

    private static List<Path> children(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw new ConfigurationException("georep.plugin-path names " + directory.toAbsolutePath()
                    + ", which is not a directory: create it, or correct georep.plugin-path");
        }
        try (Stream<Path> children = Files.list(directory)) {
            return children.sorted().toList();
        } catch (IOException e) {
            throw new ConfigurationException(
                    "georep.plugin-path names " + directory + ", which cannot be read: " + e, e);
        }
    }

    private static List<URL> jars(Path place) {
        if (!Files.exists(place)) {
            LOG.warn("The plugin {} is a link to nothing", place);
            return List.of();
        }
        if (!Files.isDirectory(place)) {
            return place.toString().endsWith(".jar") ? List.of(url(place)) : List.of();
        }
        List<URL> found = new ArrayList<>();
        found.add(url(place)); // classes without a jar
        try (Stream<Path> files = Files.walk(place, FileVisitOption.FOLLOW_LINKS)) {
            files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(file -> {
                if (Files.exists(file)) {
                    found.add(url(file));
                } else {
                    LOG.warn("The jar {} of a plugin is a link to nothing", file);
                }
            });
        } catch (IOException | UncheckedIOException e) {
            throw new ConfigurationException("the plugin " + place + " cannot be read: " + e, e);
        }
        return found;
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Finds a class.
     *
     * @throws ConnectException if there is none; the message says what there is
     */
    <T> Class<? extends T> find(String name, Class<T> kind, @Nullable ClassLoader first) {
        String wanted = name.trim();
        for (ClassLoader loader : loaders(first)) {
            Class<?> found = load(loader, wanted);
            if (found != null) {
                if (!kind.isAssignableFrom(found)) {
                    throw new ConnectException(wanted + " is not a " + kind.getName());
                }
                return found.asSubclass(kind);
            }
        }
        TreeSet<String> known = new TreeSet<>();
        for (ClassLoader loader : loaders(first)) {
            for (Class<? extends T> listed : listed(loader, kind)) {
                known.add(listed.getName());
                if (isCalled(listed, wanted)) {
                    return listed;
                }
            }
        }
        if (wanted.equals(RUNTIME_BYTES) || wanted.equals(ByteArrayConverter.class.getSimpleName())) {
            return ByteArrayConverter.class.asSubclass(kind);
        }
        throw new ConnectException("there is no " + kind.getSimpleName() + " " + wanted
                + " on the class path or under georep.plugin-path: add its jar, or correct the name; there are "
                + known);
    }

    private List<ClassLoader> loaders(@Nullable ClassLoader first) {
        List<ClassLoader> all = new ArrayList<>();
        if (first != null) {
            all.add(first);
        }
        all.addAll(directories);
        all.add(application);
        return all;
    }

    private static boolean isCalled(Class<?> listed, String name) {
        String simple = listed.getSimpleName();
        return simple.equals(name) || simple.equals(name + "Connector") || simple.equals(name + "Converter");
    }

    private static @Nullable Class<?> load(ClassLoader loader, String name) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            return null;
        } catch (LinkageError e) {
            throw new ConnectException(name + " cannot be loaded: " + e + ". Is a jar missing that it needs?", e);
        }
    }

    private static <T> List<Class<? extends T>> listed(ClassLoader loader, Class<T> kind) {
        List<Class<? extends T>> found = new ArrayList<>();
        // Plugins list their connectors as one or the other.
        List<Class<?>> services =
                kind == Connector.class ? List.of(SinkConnector.class, SourceConnector.class) : List.of(kind);
        for (Class<?> service : services) {
            try {
                ServiceLoader.load(service, loader).stream()
                        .forEach(provider -> found.add(provider.type().asSubclass(kind)));
            } catch (ServiceConfigurationError e) {
                LOG.warn("A plugin in {} lists a {} that cannot be used", loader, service.getSimpleName(), e);
            }
        }
        return found;
    }

    /**
     * Runs code of a plugin with the class loader of the plugin as that of the thread, because plugins look for their
     * classes there.
     */
    static <T> T within(Class<?> type, Supplier<T> action) {
        return within(type.getClassLoader(), action);
    }

    /** Returns the same for a loader. */
    static <T> T within(@Nullable ClassLoader loader, Supplier<T> action) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return action.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /**
     * Runs something later. A thread of the JDK does that, which lives as long as the process, and has the loader of the thread that
     * asks first: not that of a plugin.
     */
    static void later(long millis, Runnable action) {
        within(Plugins.class, () -> {
            CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(action);
            return action;
        });
    }

    /** A new object of a plugin's class. */
    static <T> T create(Class<? extends T> type) {
        return within(type, () -> created(type));
    }

    private static <T> T created(Class<? extends T> type) {
        try {
            return type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            Throwable cause = e instanceof InvocationTargetException && e.getCause() != null ? e.getCause() : e;
            if (cause instanceof NoClassDefFoundError missing) {
                throw new ConnectException(
                        type.getName() + " cannot be created, because it needs the class " + missing.getMessage()
                                + ", which is not there: put the jar with this class into the plugin's directory, or on the"
                                + " class path",
                        e);
            }
            throw new ConnectException(
                    type.getName() + " cannot be created, it needs a public constructor without parameters: " + cause,
                    e);
        }
    }
}
