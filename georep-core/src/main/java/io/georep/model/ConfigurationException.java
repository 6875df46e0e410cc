package io.georep.model;

/** Thrown because a setting is not valid. The message names the setting, its value, and what is allowed. */
public final class ConfigurationException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    public ConfigurationException(String message) {
        super(message);
    }

    public ConfigurationException(String message, Throwable cause) {
        super(message, cause);
    }
}
