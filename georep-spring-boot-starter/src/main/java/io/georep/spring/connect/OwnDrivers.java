package io.georep.spring.connect;

import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Collections;

/**
 * Removes the JDBC drivers of the plugin that it is defined in. {@link DriverManager} shows a driver to those only, and lets those
 * only remove it, who see its class. Nothing here may need a class of the host.
 */
final class OwnDrivers implements Runnable {
    @Override
    public void run() {
        for (Driver driver : Collections.list(DriverManager.getDrivers())) {
            if (driver.getClass().getClassLoader() == getClass().getClassLoader()) {
                remove(driver);
            }
        }
    }

    private static void remove(Driver driver) {
        try {
            DriverManager.deregisterDriver(driver);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
