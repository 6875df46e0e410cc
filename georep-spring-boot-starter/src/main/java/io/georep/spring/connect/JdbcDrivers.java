package io.georep.spring.connect;

import java.lang.reflect.Constructor;
import java.sql.Driver;
import java.sql.DriverManager;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers and removes the JDBC drivers of plugins. {@link DriverManager} looks for drivers on the class path of the application only, and
 * gives a driver to those only who see its class. So a plugin gets its own driver, and the application keeps its own.
 */
final class JdbcDrivers {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcDrivers.class);
    private static final String SERVICE = "META-INF/services/java.sql.Driver";

    private JdbcDrivers() {}

    /** Creates the drivers that a plugin brings along. They register themselves, as drivers do. */
    static void register(PluginClassLoader plugin, ClassLoader application) {
        if (plugin.findResource(SERVICE) == null) {
            return;
        }
        // The first use finds the application's drivers. If it were a plugin's, these would be hidden by the plugin's
        // own.
        Plugins.within(application, DriverManager::getDrivers);
        Plugins.within(plugin, () -> {
            Iterator<Driver> drivers = ServiceLoader.load(Driver.class, plugin).iterator();
            boolean more = true;
            while (more) {
                try {
                    more = drivers.hasNext();
                    if (more) {
                        LOG.debug("JDBC driver {} of plugin {}", drivers.next().getClass(), plugin.place());
                    }
                } catch (ServiceConfigurationError | LinkageError e) {
                    LOG.warn("A JDBC driver of the plugin {} cannot be used", plugin.place(), e);
                }
            }
            return plugin;
        });
    }

    /** Removes all drivers of a plugin, which would keep its classes in memory. */
    static void remove(PluginClassLoader plugin) {
        Quietly.run("removing the JDBC drivers of " + plugin.place(), () -> {
            Constructor<?> within = plugin.define(OwnDrivers.class).getDeclaredConstructor();
            within.setAccessible(true);
            ((Runnable) within.newInstance()).run();
        });
    }
}
