package io.georep.netty.internal.security;

import io.georep.netty.internal.security.ChannelSecurity.Side;
import io.georep.netty.internal.wire.SecretPreamble;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * A secret that the nodes of a cluster share, in the forms in which links use it. A proof depends on both sides' nonces, and on
 * who proves: the proof of one side is of no use to the other side or on another connection.
 */
public final class LinkSecret {
    private static final byte[] SALT = ascii("georep shared secret");

    private final byte[] proofKey;
    private final byte[] trafficKey;

    public LinkSecret(byte[] secret) {
        byte[] extracted = Hkdf.extract(SALT, secret);
        proofKey = Hkdf.expand(extracted, ascii("proofs"), Hkdf.HASH_BYTES);
        trafficKey = Hkdf.expand(extracted, ascii("traffic"), Hkdf.HASH_BYTES);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns what this side says to show that it knows the secret. */
    byte[] proof(Side side, byte[] dialerNonce, byte[] acceptorNonce) {
        return Hkdf.hmac(proofKey, purpose("proof of the ", side, dialerNonce, acceptorNonce));
    }

    /** Returns whether this is the proof; takes the same time whatever is wrong. */
    boolean isProof(byte[] candidate, Side side, byte[] dialerNonce, byte[] acceptorNonce) {
        return MessageDigest.isEqual(proof(side, dialerNonce, acceptorNonce), candidate);
    }

    /** Returns the key of all that this side sends over the connection. */
    byte[] key(Side sender, byte[] dialerNonce, byte[] acceptorNonce) {
        return Hkdf.expand(
                trafficKey, purpose("records of the ", sender, dialerNonce, acceptorNonce), RecordCipher.KEY_BYTES);
    }

    private static byte[] purpose(String what, Side side, byte[] dialerNonce, byte[] acceptorNonce) {
        byte[] label = ascii(what + (side == Side.DIALER ? "dialer" : "acceptor"));
        byte[] purpose = new byte[label.length + 1 + 2 * SecretPreamble.NONCE_BYTES];
        System.arraycopy(label, 0, purpose, 0, label.length);
        purpose[label.length] = SecretPreamble.VERSION;
        System.arraycopy(dialerNonce, 0, purpose, label.length + 1, SecretPreamble.NONCE_BYTES);
        System.arraycopy(
                acceptorNonce, 0, purpose, label.length + 1 + SecretPreamble.NONCE_BYTES, SecretPreamble.NONCE_BYTES);
        return purpose;
    }

    /** Says nothing. */
    @Override
    public String toString() {
        return "LinkSecret";
    }
}
