package io.georep.model;

import java.util.List;

/** Thrown because a setting is not valid. The message names the setting, its value, and what is allowed. */
public final class ConfigurationException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> faults;

    public ConfigurationException(String message) {
        this(message, List.of(message));
    }

    public ConfigurationException(String message, Throwable cause) {
        super(message, cause);
        faults = List.of(message);
    }

    private ConfigurationException(String message, List<String> faults) {
        super(message);
        this.faults = faults;
    }

    /**
     * Several mistakes that were found together.
     *
     * @param faults at least one, each naming the property, its value and what is allowed
     */
    public static ConfigurationException of(List<String> faults) {
        return new ConfigurationException(
                faults.size() == 1
                        ? faults.get(0)
                        : faults.size() + " settings are not valid: " + String.join("; ", faults),
                List.copyOf(faults));
    }

    /** Each mistake by itself; the message alone after this exception was serialized. */
    @SuppressWarnings("NullAway") // transient: null after deserialization
    public List<String> faults() {
        return faults == null ? List.of(String.valueOf(getMessage())) : faults;
    }
}
