package io.georep.examples.sms.smpp;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import org.jsmpp.session.connection.socket.SocketConnection;

/**
 * A connection that tells for how long a write has been waiting. A client that sends and does not read would otherwise hold
 * up whoever writes to it, for ever. Thread-safe.
 */
final class WatchedConnection extends SocketConnection {
    private final OutputStream out;

    /** When the write under way began; 0 for none. */
    private volatile long begin;

    WatchedConnection(Socket socket) throws IOException {
        super(socket);
        OutputStream unwatched = super.getOutputStream();
        out = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            /** Writers hold the lock of this stream, so there is one at a time. */
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                begin = System.nanoTime() | 1;
                try {
                    unwatched.write(bytes, offset, length);
                    unwatched.flush();
                } finally {
                    begin = 0;
                }
            }
        };
    }

    @Override
    public OutputStream getOutputStream() {
        return out;
    }

    /** Whether a write has been waiting for longer. */
    boolean waitsLongerThan(Duration time) {
        long since = begin;
        return since != 0 && System.nanoTime() - since > time.toNanos();
    }
}
