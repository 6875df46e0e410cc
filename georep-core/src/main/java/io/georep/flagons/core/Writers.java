package io.georep.flagons.core;

import io.georep.codec.BinWriter;
import io.georep.codec.Fnv;
import io.georep.model.Slice;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.Signature;
import java.util.HashMap;
import java.util.Map;

/** Those who may change something: anybody if there is no list of keys, otherwise those whose keys are in it. */
public final class Writers {
    private static final String ALGORITHM = "Ed25519";

    /** An operation that was signed longer ago is somebody else's repetition: its request may be forgotten by then. */
    private static final long VALID_MILLIS = 600_000;

    /** In units of an {@link Allowance}: a hundred at once and 25 in a second of each node. To check one takes a fifth of a millisecond. */
    private static final long FORGED = 4_000;

    /**
     * A key of somebody who may change something.
     *
     * @param untilMillis at places of this time or later it counts no more
     */
    public record Key(PublicKey key, long untilMillis) {}

    private final Map<Long, Key> keys = new HashMap<>();
    private final long clockBound;

    /** Of signatures that were wrong. Nodes check what they pass on, so it is the doing of who brings it. */
    private final Allowance proofs = new Allowance();

    private long checked;

    Writers(FleetSettings settings) {
        settings.writers().forEach(key -> keys.put(number(key.key()), key));
        clockBound = settings.clockBoundMillis();
    }

    /**
     * Returns the same of an event that somebody has brought. Who has brought too many wrong signatures is not believed until that has been
     * made up for: to check them is what costs most.
     */
    boolean allow(Event event, String from, long now) {
        if (event.operation().proof() == null || keys.isEmpty()) {
            return allow(event);
        }
        long before = checked;
        boolean allows = proofs.has(from, now) && allow(event);
        if (!allows && checked > before) {
            proofs.spent(from, FORGED, now);
        }
        return allows;
    }

    /** Returns how many signatures were checked. */
    long checked() {
        return checked;
    }

    /**
     * Returns whether an event changes nothing, or somebody who may has signed it, shortly before its place. It may not be in a place
     * before it was signed, but for clocks that differ: otherwise anybody could make it count earlier than its writer did.
     */
    boolean allow(Event event) {
        FleetOperation operation = event.operation();
        if (keys.isEmpty() || !operation.changes()) {
            return true;
        }
        Proof proof = operation.proof();
        Key key = proof == null ? null : keys.get(proof.writer());
        if (proof == null || key == null) {
            return false;
        }
        long place = FleetClock.millisOf(event.key().time());
        long age = place - proof.millis();
        if (age > VALID_MILLIS || age < -clockBound || place >= key.untilMillis()) {
            return false;
        }
        checked++;
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initVerify(key.key());
            signature.update(text(operation, proof.millis()));
            return signature.verify(proof.signature().toArray());
        } catch (GeneralSecurityException e) {
            return false; // bytes that are no signature at all
        }
    }

    /** Returns an operation with the signature of a writer, who has a key for Ed25519. */
    public static FleetOperation signed(FleetOperation operation, KeyPair writer, long millis) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(writer.getPrivate());
            signature.update(text(operation, millis));
            return operation.with(new Proof(number(writer.getPublic()), millis, Slice.of(signature.sign())));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("no key for " + ALGORITHM + ": " + e.getMessage(), e);
        }
    }

    private static long number(PublicKey key) {
        return Fnv.hash(Slice.of(key.getEncoded()));
    }

    private static byte[] text(FleetOperation operation, long millis) {
        BinWriter out = new BinWriter(128);
        out.i64(millis);
        EventCodec.operation(out, operation, true);
        return out.toArray();
    }
}
