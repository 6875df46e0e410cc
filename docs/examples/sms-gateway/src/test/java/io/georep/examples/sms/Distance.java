package io.georep.examples.sms;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** A port that leads to another one, a while away in each direction. */
final class Distance implements AutoCloseable {
    private record Parcel(byte[] bytes, long dueNanos) {}

    private final ServerSocket front = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final int behind;
    private final long delayNanos;

    Distance(int behind, Duration delay) throws IOException {
        this.behind = behind;
        delayNanos = delay.toNanos();
        start(this::accept);
    }

    int port() {
        return front.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "distance");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket near = front.accept();
                Socket far = new Socket("127.0.0.1", behind);
                sockets.addAll(List.of(near, far));
                far.setTcpNoDelay(true);
                near.setTcpNoDelay(true);
                carry(near, far);
                carry(far, near);
            }
        } catch (IOException e) {
            // The end.
        }
    }

    private void carry(Socket from, Socket to) {
        BlockingQueue<Parcel> way = new LinkedBlockingQueue<>();
        start(() -> {
            byte[] bytes = new byte[8192];
            int count = 0;
            while (count >= 0) {
                count = read(from, bytes);
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
