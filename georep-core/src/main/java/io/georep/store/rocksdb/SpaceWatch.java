package io.georep.store.rocksdb;

/**
 * Decides whether there is too little space left on the disk. Space counts as back only when a quarter more than the
 * reserve is free, so that the result does not change to and fro at the limit.
 */
final class SpaceWatch {
    /** Returns the free bytes on the disk of a directory. */
    @FunctionalInterface
    interface Probe {
        long usableBytes();
    }

    private final long reserveBytes;
    private final Probe probe;
    private boolean isLow;

    SpaceWatch(long reserveBytes, Probe probe) {
        this.reserveBytes = reserveBytes;
        this.probe = probe;
    }

    /** Asks the disk. */
    void look() {
        if (reserveBytes > 0) {
            isLow = isLow(isLow, probe.usableBytes(), reserveBytes);
        }
    }

    /** Returns whether the disk was too full at the last look. */
    boolean isLow() {
        return isLow;
    }

    static boolean isLow(boolean wasLow, long usableBytes, long reserveBytes) {
        return usableBytes < (wasLow ? reserveBytes + reserveBytes / 4 : reserveBytes);
    }
}
