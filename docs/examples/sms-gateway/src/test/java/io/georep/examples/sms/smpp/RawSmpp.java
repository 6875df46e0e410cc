package io.georep.examples.sms.smpp;

import io.georep.examples.sms.Await;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jsmpp.SMPPConstant;

/** A client that may send anything. */
public final class RawSmpp implements AutoCloseable {
    private static final int HEADER_BYTES = 16;
    private static final int ROOM_BYTES = 2 * 1024;

    /** Header of an answer. */
    public record Header(int command, int status, int sequence) {}

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    /** Connects. */
    public RawSmpp(int port) throws IOException {
        this(new Socket("localhost", port));
    }

    private RawSmpp(Socket connected) throws IOException {
        socket = connected;
        socket.setSoTimeout((int) Await.SECONDS_MAX * 1000);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    /** Connects and binds. */
    static RawSmpp bound(int port) throws IOException {
        return bound(port, "client", "secret");
    }

    /** The same with little room for what is not read yet, so that it is soon full. */
    static RawSmpp boundWithLittleRoom(int port) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(ROOM_BYTES);
        socket.connect(new InetSocketAddress("localhost", port));
        return new RawSmpp(socket).bind("client", "secret");
    }

    /** Connects and binds. */
    public static RawSmpp bound(int port, String systemId, String password) throws IOException {
        return new RawSmpp(port).bind(systemId, password);
    }

    private RawSmpp bind(String systemId, String password) throws IOException {
        send(
                SMPPConstant.CID_BIND_TRANSMITTER,
                1,
                (systemId + "\0" + password + "\0\0004\0\0\0").getBytes(StandardCharsets.ISO_8859_1));
        Header answer = receive();
        if (answer.status() != 0) {
            throw new IOException("bind refused: " + answer);
        }
        return this;
    }

    /** The body of a valid submit. */
    static byte[] submitBody() {
        return new SubmitBody().bytes();
    }

    /** Sends a PDU. */
    public void send(int command, int sequence, byte[] body) throws IOException {
        send(command, sequence, body, 1);
    }

    /** Sends the same PDU several times, in one segment. */
    void send(int command, int sequence, byte[] body, int times) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < times; i++) {
            all.write(pdu(command, sequence, body));
        }
        out.write(all.toByteArray());
        out.flush();
    }

    /** Sends a PDU without a body and one with, in one segment. */
    void sendBoth(int first, int second, byte[] body) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(pdu(first, 8, new byte[0]));
        all.write(pdu(second, 9, body));
        out.write(all.toByteArray());
        out.flush();
    }

    /** The bytes of a PDU. */
    public static byte[] pdu(int command, int sequence, byte[] body) {
        return ByteBuffer.allocate(HEADER_BYTES + body.length)
                .putInt(HEADER_BYTES + body.length)
                .putInt(command)
                .putInt(0)
                .putInt(sequence)
                .put(body)
                .array();
    }

    /** A header without its body. */
    void sendHeader(int length, int command, int sequence) throws IOException {
        out.writeInt(length);
        out.writeInt(command);
        out.writeInt(0);
        out.writeInt(sequence);
        out.flush();
    }

    /** The next answer. */
    public Header receive() throws IOException {
        int length = in.readInt();
        Header header = new Header(in.readInt(), in.readInt(), in.readInt());
        in.readNBytes(length - HEADER_BYTES);
        return header;
    }

    /** Whether an answer can be read now. */
    boolean answered() {
        try {
            return in.available() > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
