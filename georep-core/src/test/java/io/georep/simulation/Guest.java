package io.georep.simulation;

import org.jspecify.annotations.Nullable;

/** A wing that is there, and of which nothing is asked: for scenarios, which ask for themselves. */
abstract class Guest implements Wing {
    private final String name;

    Guest(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void begin() {}

    @Override
    public void rest() {}

    @Override
    public long successes() {
        return 0;
    }

    @Override
    public @Nullable String unsettled() {
        return null;
    }

    @Override
    public void settled() {}
}
