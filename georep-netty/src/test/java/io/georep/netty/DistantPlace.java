package io.georep.netty;

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

/** A way to a node that takes its time in each direction: who dials its address is that far away from the node. */
final class DistantPlace implements AutoCloseable {
    private record Parcel(byte[] bytes, long dueNanos) {}

    private final ServerSocket front = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final int behind;
    private final long delayNanos;

    DistantPlace(int behind, Duration delay) throws IOException {
        this.behind = behind;
        delayNanos = delay.toNanos();
        start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + front.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "distance");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket dialer = front.accept();
                sockets.add(dialer);
                Socket node = new Socket(InetAddress.getLoopbackAddress(), behind);
                sockets.add(node);
                node.setTcpNoDelay(true);
                dialer.setTcpNoDelay(true);
                carry(dialer, node);
                carry(node, dialer);
            }
        } catch (IOException e) {
            // The end.
        }
    }

    private void carry(Socket from, Socket to) {
        BlockingQueue<Parcel> way = new LinkedBlockingQueue<>();
        start(() -> {
            byte[] bytes = new byte[65_536];
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
                Parcel next = way.take();
                while (next.bytes().length > 0) {
                    long left = next.dueNanos() - System.nanoTime();
                    while (left > 0) {
                        LockSupport.parkNanos(left);
                        left = next.dueNanos() - System.nanoTime();
                    }
                    out.write(next.bytes());
                    next = way.take();
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
