package io.georep.analysis;

/** Argument checks whose messages name the argument, its value and what is allowed. */
final class Check {
    private Check() {}

    static int between(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", allowed are " + min + " to " + max);
        }
        return value;
    }

    static double probability(String name, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(name + " is " + value + ", a probability lies in 0 to 1");
        }
        return value;
    }

    static void that(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
