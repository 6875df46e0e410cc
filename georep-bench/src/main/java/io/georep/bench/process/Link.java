package io.georep.bench.process;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One end of a loopback connection between this program's processes. Sending never waits: messages of all threads gather in a
 * buffer, and the writing thread takes all of it at once. The buffer has no bound, so callers must bound what they send
 * (closed-loop producers, windows). Thread-safe.
 */
public final class Link implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;

    /** Writes one message. */
    @FunctionalInterface
    public interface Message {
        /** Writes to memory, so it fails only when the message cannot be written at all. */
        void write(DataOutputStream out) throws IOException;
    }

    /** What happens on the link; called on its reading thread. */
    public interface Receiver {
        /** Reads exactly one message. */
        void message(Link link, DataInputStream in) throws IOException;

        /** The link is gone; the last call, made exactly once. */
        void closed(Link link);
    }

    /** A byte array that can be written to a stream without a copy. */
    private static final class Buffer extends ByteArrayOutputStream {
        final DataOutputStream data = new DataOutputStream(this);

        Buffer() {
            super(BUFFER_BYTES);
        }
    }

    private final Socket socket;
    private final Receiver receiver;
    private final Thread reader;
    private final Thread writer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Buffer filling = new Buffer();
    private boolean closed;

    /** Takes over a connected socket; {@link #start} begins to read and write. */
    public Link(String name, Socket socket, Receiver receiver) throws IOException {
        socket.setTcpNoDelay(true);
        this.socket = socket;
        this.receiver = receiver;
        this.reader = new Thread(this::read, name + "-reader");
        this.writer = new Thread(this::write, name + "-writer");
        reader.setDaemon(true);
        writer.setDaemon(true);
    }

    /** Starts both threads. */
    public void start() {
        reader.start();
        writer.start();
    }

    /** Queues a message; returns false, having queued nothing, when the link is closed. */
    public boolean send(Message message) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            message.write(filling.data);
            changed.signal();
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the link is gone or was closed here. */
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Closes both directions; what is queued may be lost. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        closeSocket();
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException e) {
            return; // It is gone either way.
        }
    }

    private void read() {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES))) {
            while (true) {
                receiver.message(this, in);
            }
        } catch (IOException e) {
            // The other side went away, was killed, or we closed: all the same here.
            close();
        } finally {
            close();
            receiver.closed(this);
        }
    }

    private void write() {
        Buffer spare = new Buffer();
        try {
            OutputStream out = socket.getOutputStream();
            Buffer full = take(spare);
            while (full.size() > 0) {
                full.writeTo(out);
                full.reset();
                full = take(full);
            }
        } catch (IOException e) {
            closeSocket(); // The reading thread tells the receiver.
        }
    }

    /** Waits for something to write and leaves an empty buffer in its place; returns an empty one at the end. */
    private Buffer take(Buffer empty) {
        lock.lock();
        try {
            while (filling.size() == 0 && !closed) {
                changed.awaitUninterruptibly();
            }
            if (closed) {
                return empty;
            }
            Buffer full = filling;
            filling = empty;
            return full;
        } finally {
            lock.unlock();
        }
    }
}
