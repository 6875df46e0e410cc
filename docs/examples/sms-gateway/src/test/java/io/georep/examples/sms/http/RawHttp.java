package io.georep.examples.sms.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

/** A client of the HTTP door that may send anything, as slowly as it likes. */
public final class RawHttp implements AutoCloseable {
    private final Socket socket;

    /** Connects. */
    public RawHttp(int port, Duration patience) throws IOException {
        this(port, patience, "127.0.0.1");
    }

    /** Connects from this address of this machine. */
    public RawHttp(int port, Duration patience, String from) throws IOException {
        socket = new Socket();
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(new InetSocketAddress("127.0.0.1", port), (int) patience.toMillis());
        socket.setSoTimeout((int) patience.toMillis());
    }

    /** Header of a post to {@code /messages}; the framing is for example {@code Content-Length: 5}. */
    public static String header(String account, String password, String framing) {
        String credentials =
                Base64.getEncoder().encodeToString((account + ":" + password).getBytes(StandardCharsets.UTF_8));
        return "POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Basic "
                + credentials + "\r\n" + framing + "\r\n\r\n";
    }

    /** Sends some bytes of a request. */
    public void send(String part) throws IOException {
        socket.getOutputStream().write(part.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Sends chunks of this size until so many are sent or the server takes no more. */
    public void sendChunks(int count, int size) {
        String chunk = Integer.toHexString(size) + "\r\n" + "x".repeat(size) + "\r\n";
        try {
            for (int i = 0; i < count; i++) {
                send(chunk);
            }
        } catch (IOException e) {
            // The server has closed the connection; its answer is there already.
        }
    }

    /** The answer, up to the end of the connection or as much as has the text. */
    public String receive(String until) throws IOException {
        StringBuilder answer = new StringBuilder();
        byte[] buffer = new byte[4096];
        int length = socket.getInputStream().read(buffer);
        while (length >= 0) {
            answer.append(new String(buffer, 0, length, StandardCharsets.ISO_8859_1));
            if (answer.indexOf(until) >= 0) {
                break;
            }
            length = socket.getInputStream().read(buffer);
        }
        return answer.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
