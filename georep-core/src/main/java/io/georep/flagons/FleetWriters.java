package io.georep.flagons;

import io.georep.model.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who may change the values of a fleet. Where there are keys, each change is signed with one of them, and all nodes refuse others,
 * whoever sends them. All nodes have the same keys; reading needs none.
 *
 * @param keys for Ed25519; empty if every node and client may change values
 * @param retired keys of earlier, and until when they were used: what they have signed counts at places before that time
 * @param own what this process signs its changes with; null if it only reads
 */
public record FleetWriters(
        List<PublicKey> keys,
        Map<PublicKey, Instant> retired,
        @Nullable KeyPair own) {
    /** Every node and client of the fleet may change values. */
    public static final FleetWriters ANYBODY = new FleetWriters(List.of(), Map.of(), null);

    private static final String ALGORITHM = "Ed25519";
    private static final String UNTIL = " until ";
    private static final String FIRST_LINE = "-----BEGIN PRIVATE KEY-----";

    /**
     * Checks the keys.
     *
     * @throws ConfigurationException if one is not for Ed25519, or the own one is not among them, or all are retired
     */
    public FleetWriters {
        keys = List.copyOf(keys);
        retired = Map.copyOf(retired);
        List<PublicKey> all = new ArrayList<>(keys);
        all.addAll(retired.keySet());
        for (PublicKey key : all) {
            if (!(key instanceof EdECPublicKey its)
                    || !its.getParams().getName().equals(ALGORITHM)) {
                throw new ConfigurationException(
                        "a key of a writer is for " + key.getAlgorithm() + ", not for Ed25519");
            }
        }
        for (PublicKey key : keys) {
            if (retired.containsKey(key)) {
                throw new ConfigurationException(
                        "a key of a writer is in the list twice, once with a time until which it was"
                                + " used: take one of the two out");
            }
        }
        if (keys.isEmpty() && !retired.isEmpty()) {
            throw new ConfigurationException("all keys of writers are retired: nobody could change a value");
        }
        if (own != null && !keys.contains(own.getPublic())) {
            throw new ConfigurationException("the key that this process signs with is not among those of the writers:"
                    + " all nodes would refuse its changes");
        }
    }

    /**
     * Only those with one of these keys, and this process only reads.
     *
     * @param keys in Base64, as {@code openssl pkey -in writer.pem -pubout} writes it between its first and last line; one that is
     *     not used any more is followed by until when it was, as in {@code MCow…uE= until 2026-12-01T00:00:00Z}
     * @throws ConfigurationException if one cannot be read
     */
    public static FleetWriters only(List<String> keys) {
        List<PublicKey> read = new ArrayList<>();
        Map<PublicKey, Instant> retired = new LinkedHashMap<>();
        for (String text : keys) {
            int end = text.indexOf(UNTIL);
            if (end < 0) {
                read.add(read(text));
            } else {
                Instant until = time(text.substring(end + UNTIL.length()));
                if (retired.put(read(text.substring(0, end)), until) != null) {
                    throw new ConfigurationException(
                            "a key of a writer is in the list twice, each time with a time until which"
                                    + " it was used: take one of the two out");
                }
            }
        }
        return new FleetWriters(read, retired, null);
    }

    private static PublicKey read(String key) {
        try {
            byte[] bytes = Base64.getMimeDecoder().decode(key);
            return KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(bytes));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new ConfigurationException("'" + key + "' is no public key for Ed25519 in Base64");
        }
    }

    private static Instant time(String text) {
        try {
            // Others do not fit into a place of the order.
            return Instant.ofEpochMilli(Instant.parse(text.strip()).toEpochMilli());
        } catch (DateTimeParseException | ArithmeticException e) {
            throw new ConfigurationException(
                    "'" + text + "' is no time until which a key was used: write it like 2026-12-01T00:00:00Z");
        }
    }

    /** The same for keys in words. */
    public static FleetWriters only(String... keys) {
        return only(List.of(keys));
    }

    /**
     * Returns the same keys; this process signs with the key in a file.
     *
     * @param file as {@code openssl genpkey -algorithm ed25519 -out writer.pem} writes it
     * @throws ConfigurationException if it has none that belongs to one of the keys
     */
    public FleetWriters signingWith(Path file) {
        try {
            String text = Files.readString(file).strip();
            String body = text.startsWith(FIRST_LINE)
                    ? text.substring(FIRST_LINE.length(), Math.max(FIRST_LINE.length(), text.lastIndexOf("-----END")))
                    : "";
            byte[] bytes = Base64.getMimeDecoder().decode(body);
            return signingWith(KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(bytes)));
        } catch (IOException e) {
            throw new ConfigurationException("the key of a writer cannot be read from " + file + ": " + e);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new ConfigurationException(file + " is no private key for Ed25519 that begins with " + FIRST_LINE);
        }
    }

    /**
     * Returns the same keys; this process signs with one of them.
     *
     * @throws ConfigurationException if it belongs to none of them
     */
    public FleetWriters signingWith(PrivateKey key) {
        for (PublicKey each : keys) {
            if (belong(each, key)) {
                return new FleetWriters(keys, retired, new KeyPair(each, key));
            }
        }
        throw new ConfigurationException("the key that this process is to sign with belongs to none of the "
                + keys.size() + " keys of writers: all nodes would refuse its changes");
    }

    /** Returns whether what is signed with one key is checked with the other. */
    private static boolean belong(PublicKey open, PrivateKey secret) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(secret);
            signature.update(open.getEncoded());
            byte[] signed = signature.sign();
            signature.initVerify(open);
            signature.update(open.getEncoded());
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** Returns how many keys there are; no key. */
    @Override
    public String toString() {
        return "FleetWriters[" + (keys.isEmpty() ? "anybody" : keys.size() + " keys")
                + (own == null ? "]" : ", signs]");
    }
}
