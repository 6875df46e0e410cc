package io.georep.bench.maps;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ways between nodes for connections that do not say who opened them: each node reaches each other one through a port of its own. A
 * direction that is blocked keeps what is sent until it is open again, as TCP does. Thread-safe.
 */
final class Relays implements AutoCloseable {
    private static final int BUFFER_BYTES = 16 << 10;
    private static final int CONNECT_MILLIS = 1000;

    private record Way(int from, int to) {}

    private final boolean[][] blocked;
    private final int[] targets;
    private final Map<Way, ServerSocket> doors = new ConcurrentHashMap<>();
    private final List<Socket> sockets = new ArrayList<>();
    private boolean closed;

    /**
     * Opens the ways.
     *
     * @param targets where each node listens; 0 for one that nobody connects to
     */
    Relays(int[] targets) throws IOException {
        this.targets = targets.clone();
        this.blocked = new boolean[targets.length][targets.length];
        for (int from = 0; from < targets.length; from++) {
            for (int to = 0; to < targets.length; to++) {
                if (from != to && targets[to] != 0) {
                    ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                    doors.put(new Way(from, to), door);
                    int one = from;
                    int other = to;
                    start(() -> accept(door, one, other));
                }
            }
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    /** Port under which one node reaches another one. */
    int port(int from, int to) {
        ServerSocket door = doors.get(new Way(from, to));
        if (door == null) {
            throw new IllegalArgumentException("nobody listens at node " + to);
        }
        return door.getLocalPort();
    }

    /** Holds up what one node says to another one. */
    synchronized void block(int from, int to) {
        blocked[from][to] = true;
    }

    /** Opens all ways. */
    synchronized void heal() {
        for (boolean[] row : blocked) {
            java.util.Arrays.fill(row, false);
        }
        notifyAll();
    }

    private synchronized void awaitOpen(int from, int to) throws InterruptedException {
        while (blocked[from][to] && !closed) {
            wait();
        }
    }

    private void accept(ServerSocket door, int from, int to) {
        while (!door.isClosed()) {
            try {
                Socket dialer = keep(door.accept());
                start(() -> relay(dialer, from, to));
            } catch (IOException e) {
                continue; // Closed, or the one who dialled has gone.
            }
        }
    }

    private synchronized Socket keep(Socket socket) throws IOException {
        if (closed) {
            socket.close();
        }
        sockets.removeIf(Socket::isClosed);
        sockets.add(socket);
        return socket;
    }

    /** The connection is made only once the way is open, as a SYN would be lost. */
    private void relay(Socket dialer, int from, int to) {
        try (dialer;
                Socket target = keep(new Socket())) {
            awaitOpen(from, to);
            target.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targets[to]), CONNECT_MILLIS);
            dialer.setTcpNoDelay(true);
            target.setTcpNoDelay(true);
            Thread back = new Thread(() -> pump(target, dialer, to, from), "relay");
            back.setDaemon(true);
            back.start();
            pump(dialer, target, from, to);
            back.join();
        } catch (IOException e) {
            return; // Nobody listens: the dialer sees a closed connection.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pump(Socket source, Socket sink, int from, int to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream in = source.getInputStream();
            OutputStream out = sink.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                awaitOpen(from, to);
                out.write(buffer, 0, length);
            }
        } catch (IOException e) {
            // One side has gone, or was killed: the other one is told by the close below.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            awaitOpen(from, to);
            source.close();
            sink.close();
        } catch (IOException e) {
            return; // It is gone either way.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        notifyAll();
        for (ServerSocket door : doors.values()) {
            door.close();
        }
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
