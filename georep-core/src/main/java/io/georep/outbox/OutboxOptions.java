package io.georep.outbox;

import io.georep.model.ConfigurationException;

/** Settings of an outbox; every method answers the options. Not thread-safe. */
public final class OutboxOptions {
    /** Most copies beyond the first. */
    public static final int F_MAX = 15;

    private int f = 1;

    public OutboxOptions() {}

    /**
     * Copies on other nodes, that is, node failures survived, unless a send says otherwise; 0 to {@value #F_MAX},
     * default 1. With 0 an entry lives on this node only.
     */
    public OutboxOptions f(int value) {
        if (value < 0 || value > F_MAX) {
            throw new ConfigurationException("f is " + value + ", allowed are 0 to " + F_MAX);
        }
        f = value;
        return this;
    }

    public int f() {
        return f;
    }
}
