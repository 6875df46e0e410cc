package io.georep.examples.sms;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** A port that leads to another one, a while away in each direction. What it carries for some nodes can be held up. */
public final class Distance implements AutoCloseable {
    private static final long LOOK_NANOS = 1_000_000;

    private record Parcel(byte[] bytes, long dueNanos) {}

    /** Who dialled is in what it says first. */
    private static final class Way {
        volatile String first = "";
    }

    private final ServerSocket front = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Set<String> shut = ConcurrentHashMap.newKeySet();
    private final int behind;
    private final long delayNanos;

    public Distance(int behind, Duration delay) throws IOException {
        this.behind = behind;
        delayNanos = delay.toNanos();
        start(this::accept);
    }

    public int port() {
        return front.getLocalPort();
    }

    /** Holds up all between the node that is behind and another one that has dialled or will, or no more. */
    public void shut(String node, boolean on) {
        String said = (char) node.length() + node; // in HELLO, see docs/how-it-works/wire-format.md
        if (on) {
            shut.add(said);
        } else {
            shut.remove(said);
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "distance");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                open(front.accept());
            }
        } catch (IOException e) {
            // The end.
        }
    }

    private void open(Socket near) throws IOException {
        sockets.add(near);
        try {
            Socket far = new Socket("127.0.0.1", behind);
            sockets.add(far);
            far.setTcpNoDelay(true);
            near.setTcpNoDelay(true);
            Way way = new Way();
            carry(near, far, way);
            carry(far, near, way);
        } catch (IOException e) {
            near.close(); // nobody is there
        }
    }

    private void carry(Socket from, Socket to, Way connection) {
        BlockingQueue<Parcel> way = new LinkedBlockingQueue<>();
        start(() -> {
            byte[] bytes = new byte[8192];
            int count = 0;
            while (count >= 0) {
                count = read(from, bytes);
                if (connection.first.isEmpty() && count > 0) {
                    connection.first = new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
                }
                way.add(new Parcel(Arrays.copyOf(bytes, Math.max(0, count)), System.nanoTime() + delayNanos));
            }
        });
        start(() -> {
            try (from;
                    to) {
                OutputStream out = to.getOutputStream();
                for (Parcel next = way.take(); next.bytes().length > 0; next = way.take()) {
                    while (next.dueNanos() - System.nanoTime() > 0) {
                        LockSupport.parkNanos(next.dueNanos() - System.nanoTime());
                    }
                    while (shut.stream().anyMatch(connection.first::contains)) {
                        LockSupport.parkNanos(LOOK_NANOS);
                    }
                    out.write(next.bytes());
                }
            } catch (IOException | InterruptedException e) {
                // One of the two has ended the connection.
            }
        });
    }

    private static int read(Socket from, byte[] bytes) {
        try {
            InputStream in = from.getInputStream();
            return in.read(bytes);
        } catch (IOException e) {
            return -1;
        }
    }

    @Override
    public void close() throws IOException {
        front.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
