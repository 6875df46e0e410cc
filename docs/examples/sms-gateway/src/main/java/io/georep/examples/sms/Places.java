package io.georep.examples.sms;

/** How many places one of many may have: only a part of those left, so that nobody gets all. */
public final class Places {
    private static final int PART = 16;

    private Places() {}

    /** Returns a part of the places left; at least one. */
    public static long part(long left) {
        return Math.max(1, left / PART);
    }
}
