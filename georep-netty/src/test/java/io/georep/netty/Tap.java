package io.georep.netty;

import io.georep.FreePort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/** Somebody on the way to a node: keeps what dialers send, and can tamper with it. */
final class Tap implements AutoCloseable {
    /** What is done to the next bytes that a dialer sends. */
    enum Fault {
        LEFT_OUT,
        REPEATED
    }

    private final ServerSocket front = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int behind;
    private final List<ByteArrayOutputStream> recorded = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicReference<Fault> fault = new AtomicReference<>();

    Tap() throws IOException {
        behind = FreePort.find();
        start(this::accept);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "tap");
        thread.setDaemon(true);
        thread.start();
    }

    /** Where dialers come. */
    String address() {
        return "127.0.0.1:" + front.getLocalPort();
    }

    /** The port on which the node itself listens. */
    int behind() {
        return behind;
    }

    /** What each dialer has sent so far. */
    List<byte[]> recorded() {
        return recorded.stream().map(ByteArrayOutputStream::toByteArray).toList();
    }

    void inject(Fault next) {
        fault.set(next);
    }

    /** Connects to the node itself. */
    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), behind);
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Says this, and returns what is answered until the other side closes the connection. */
    static String say(Socket socket, byte[] words) {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try {
            socket.getOutputStream().write(words);
            socket.getInputStream().transferTo(answer);
        } catch (IOException e) {
            // It was closed with words unread.
        }
        return answer.toString(StandardCharsets.ISO_8859_1);
    }

    private void accept() {
        try {
            while (true) {
                Socket dialer = front.accept();
                Socket node = new Socket(InetAddress.getLoopbackAddress(), behind);
                sockets.addAll(List.of(dialer, node));
                ByteArrayOutputStream kept = new ByteArrayOutputStream();
                recorded.add(kept);
                start(() -> carry(dialer, node, kept));
                start(() -> carry(node, dialer, null));
            }
        } catch (IOException e) {
            // The end.
        }
    }

    private void carry(Socket from, Socket to, ByteArrayOutputStream kept) {
        byte[] bytes = new byte[8192];
        try (from;
                to) {
            OutputStream out = to.getOutputStream();
            for (int count = from.getInputStream().read(bytes);
                    count > 0;
                    count = from.getInputStream().read(bytes)) {
                Fault now = kept == null ? null : fault.getAndSet(null);
                if (kept != null) {
                    kept.write(bytes, 0, count);
                }
                if (now != Fault.LEFT_OUT) {
                    out.write(bytes, 0, count);
                }
                if (now == Fault.REPEATED) {
                    out.write(bytes, 0, count);
                }
            }
        } catch (IOException e) {
            // One of the two has ended the connection.
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
