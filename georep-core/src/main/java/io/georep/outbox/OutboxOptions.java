package io.georep.outbox;

import io.georep.model.ConfigurationException;

/** Settings of an outbox. Each setter returns the options themselves. Not thread-safe. */
public final class OutboxOptions {
    /** The highest f. */
    public static final int F_MAX = 15;

    private int f = 1;

    public OutboxOptions() {}

    /**
     * Sets how many copies of each entry are made on other nodes, and so how many node failures an entry survives; 0 to
     * {@value #F_MAX}, default 1. A send can ask for another number. With 0 an entry lives on this node only.
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
