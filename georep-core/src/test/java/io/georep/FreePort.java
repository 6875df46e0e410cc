package io.georep;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports to listen on a little later. They lie below those that systems give to outgoing connections: such a connection
 * could have the port by the time it is wanted, or while the server on it is being started again.
 */
public final class FreePort {
    private static final int PORT_MIN = 15_000;
    private static final int PORT_MAX = 30_000;
    private static final int ATTEMPTS_MAX = 1_000;

    private FreePort() {}

    /** A port that is free now, on all addresses. */
    public static int find() {
        return findRange(1);
    }

    /**
     * The first of so many ports in a row that are free now, on all addresses.
     *
     * @throws UncheckedIOException when there are none
     */
    public static int findRange(int count) {
        for (int attempt = 1; ; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(PORT_MIN, PORT_MAX - count);
            try {
                for (int port = first; port < first + count; port++) {
                    new ServerSocket(port, 1).close();
                }
                return first;
            } catch (IOException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }
}
