package io.georep.examples.sms.smpp;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import org.jsmpp.session.connection.socket.SocketConnection;

/**
 * A connection that tells for how long a write has made no progress. Otherwise a peer that does not read would hold up its
 * writer for ever. Thread-safe.
 */
public final class WatchedConnection extends SocketConnection {
    /** Bytes written at a time: even a peer that reads slowly takes such a piece now and then. */
    private static final int PIECE_BYTES = 4 * 1024;

    /** The system takes more when about a third of this has been read. Left to itself it grows to megabytes. */
    private static final int SEND_BUFFER_BYTES = 16 * 1024;

    private final OutputStream out;

    /** When the write under way began or last made progress; 0 for none. */
    private volatile long since;

    /** Watches a connected socket. */
    public WatchedConnection(Socket socket) throws IOException {
        super(socket);
        socket.setSendBufferSize(SEND_BUFFER_BYTES);
        OutputStream unwatched = super.getOutputStream();
        out = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            /** Writers hold the lock of this stream, so there is one at a time. */
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                try {
                    for (int done = 0; done < length; done += PIECE_BYTES) {
                        since = System.nanoTime() | 1;
                        unwatched.write(bytes, offset + done, Math.min(PIECE_BYTES, length - done));
                    }
                } finally {
                    since = 0;
                }
            }

            /** Ends the connection. */
            @Override
            public void close() throws IOException {
                socket.close();
            }
        };
    }

    @Override
    public OutputStream getOutputStream() {
        return out;
    }

    /** Returns whether the other side has read nothing for longer, although there is something to read. */
    public boolean readsNothing(Duration time) {
        long begin = since;
        return begin != 0 && System.nanoTime() - begin > time.toNanos();
    }
}
