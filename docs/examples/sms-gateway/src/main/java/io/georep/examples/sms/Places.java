package io.georep.examples.sms;

/** How many places one of many may have: what the others leave is never given to one alone. */
public final class Places {
    private static final int PART = 16;

    private Places() {}

    /** A part of what is left of them; one place in any case. */
    public static long part(long left) {
        return Math.max(1, left / PART);
    }
}
