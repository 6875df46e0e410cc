package io.georep.examples.host;

/** What a connector talks to. It keeps what it has while it is stopped, and enters what it got in the ledger. */
@SuppressWarnings("try") // tests end when they are interrupted
interface OtherSide extends AutoCloseable {
    void start() throws Exception;

    void stop() throws Exception;

    /** Enters what came since the last time, where that does not happen by itself. It is running. */
    default void collect() throws Exception {}

    @Override
    default void close() throws Exception {
        stop();
    }
}
