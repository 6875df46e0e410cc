package io.georep.netty.internal.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that two nodes exchange before anything else on a link that a secret protects.
 *
 * <pre>
 * message = "GEOS" | u8 version | u8 kind | 32 bytes
 * CHALLENGE 1, dialer: its nonce        ANSWER 2, acceptor: its nonce
 * PROOF     3, dialer: its proof        WELCOME 4, acceptor: its proof
 * REFUSE    5, acceptor, then it closes the connection: u8 code | 31 × 0
 * </pre>
 *
 * All messages have one length, so a reader needs no more memory than that for any sender.
 */
public final class SecretPreamble {
    /**
     * Version of the preamble and of all that is derived from it. It is part of each proof, so an attacker cannot make two
     * nodes use a lower one.
     */
    public static final byte VERSION = 1;

    /** Bytes of a nonce, and of a proof. */
    public static final int NONCE_BYTES = 32;

    /** Bytes of a message. */
    public static final int BYTES = 4 + 1 + 1 + NONCE_BYTES;

    private static final byte[] MAGIC = "GEOS".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION_AT = MAGIC.length;
    private static final int KIND_AT = VERSION_AT + 1;
    private static final int BODY_AT = KIND_AT + 1;

    /** What a message is. */
    public enum Kind {
        CHALLENGE(1),
        ANSWER(2),
        PROOF(3),
        WELCOME(4),
        REFUSE(5);

        private final int wire;

        Kind(int wire) {
            this.wire = wire;
        }
    }

    /** Why an acceptor refuses. */
    public enum Refusal {
        /** The dialer's proof fits none of the acceptor's secrets. */
        SECRET(1),
        /** The acceptor does not know the dialer's version of the preamble. */
        VERSION(2);

        private final int wire;

        Refusal(int wire) {
            this.wire = wire;
        }
    }

    private SecretPreamble() {}

    /** Returns whether a connection that begins with these bytes may be one of this protocol. */
    public static boolean mayBegin(byte[] bytes, int count) {
        int compared = Math.min(count, MAGIC.length);
        return Arrays.equals(bytes, 0, compared, MAGIC, 0, compared);
    }

    public static ByteBuf encode(Kind kind, byte[] body) {
        byte[] message = Arrays.copyOf(MAGIC, BYTES);
        message[VERSION_AT] = VERSION;
        message[KIND_AT] = (byte) kind.wire;
        System.arraycopy(body, 0, message, BODY_AT, body.length);
        return Unpooled.wrappedBuffer(message);
    }

    public static ByteBuf encode(Refusal refusal) {
        return encode(Kind.REFUSE, new byte[] {(byte) refusal.wire});
    }

    public static int version(byte[] message) {
        return Byte.toUnsignedInt(message[VERSION_AT]);
    }

    /** Null for a kind that this version does not know. */
    public static @Nullable Kind kind(byte[] message) {
        for (Kind kind : Kind.values()) {
            if (kind.wire == message[KIND_AT]) {
                return kind;
            }
        }
        return null;
    }

    public static byte[] body(byte[] message) {
        return Arrays.copyOfRange(message, BODY_AT, BYTES);
    }

    /** Null for a code that this version does not know. */
    public static @Nullable Refusal refusal(byte[] message) {
        return Arrays.stream(Refusal.values())
                .filter(refusal -> refusal.wire == message[BODY_AT])
                .findFirst()
                .orElse(null);
    }
}
