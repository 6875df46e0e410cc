package io.georep.netty;

import io.georep.model.ConfigurationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What all nodes of a cluster know and nobody else does: at least {@value #BYTES_MIN} random bytes. Two nodes link only if each
 * proves to the other that it knows the secret, and everything on the link is encrypted with keys that come from it. {@code
 * openssl rand -base64 32} makes a good one. Do not use a word or a phrase: whoever sees a link being set up can try them all.
 *
 * <p>To change the secret without stopping the cluster, a node may have two. It proves that it knows the first, and it
 * accepts nodes that know either. Immutable; no method and no message shows the bytes.
 */
public final class SharedSecret {
    /** Fewest bytes of a secret. */
    public static final int BYTES_MIN = 16;

    /** Most bytes of a secret. */
    public static final int BYTES_MAX = 1024;

    private static final int ACCEPTED_MAX = 2;
    private static final String HOW = "make one with 'openssl rand -base64 32'";

    private final List<byte[]> accepted;

    private SharedSecret(List<byte[]> accepted) {
        this.accepted = accepted;
    }

    /**
     * Returns a secret of these bytes, which are copied.
     *
     * @throws ConfigurationException if there are fewer than {@value #BYTES_MIN} or more than {@value #BYTES_MAX}
     */
    public static SharedSecret of(byte[] bytes) {
        if (bytes.length < BYTES_MIN || bytes.length > BYTES_MAX) {
            throw new ConfigurationException("the secret has " + bytes.length + " bytes, allowed are " + BYTES_MIN
                    + " to " + BYTES_MAX + ": " + HOW);
        }
        return new SharedSecret(List.of(bytes.clone()));
    }

    /**
     * Returns the secret that this text holds in Base64 (RFC 4648, section 4). Two of them with white space between mean what
     * {@link #alsoAccepting} means.
     *
     * @throws ConfigurationException if it is not Base64, or too short or too long; the message does not repeat the text
     */
    public static SharedSecret ofBase64(String text) {
        String[] parts = text.strip().split("\\s+", -1);
        if (parts.length > ACCEPTED_MAX) {
            throw new ConfigurationException("the text with the secret has " + parts.length
                    + " parts, allowed are one, or two while the secret is changed");
        }
        SharedSecret first = of(decoded(parts[0]));
        return parts.length == 1 ? first : first.alsoAccepting(of(decoded(parts[1])));
    }

    private static byte[] decoded(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            // Without the cause, whose message quotes the text.
            throw new ConfigurationException("the secret is not Base64: " + HOW);
        }
    }

    /**
     * Returns the secret in this file, which holds Base64 as in {@link #ofBase64}. The file is read now and not again.
     *
     * @throws ConfigurationException if it cannot be read, or does not hold a secret
     */
    public static SharedSecret ofFile(Path file) {
        String text;
        try {
            if (Files.size(file) > 4L * BYTES_MAX) {
                throw new ConfigurationException(
                        "file " + file + " is too large for a shared secret: name a file that holds nothing else");
            }
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new ConfigurationException("the secret cannot be read from file " + file + ": " + e);
        }
        try {
            return ofBase64(text);
        } catch (ConfigurationException e) {
            throw new ConfigurationException("file " + file + ": " + e.getMessage());
        }
    }

    /**
     * Returns a secret that proves like this one, and also accepts nodes that prove the other's first.
     *
     * @throws ConfigurationException if this one accepts two already, or if both are the same
     */
    public SharedSecret alsoAccepting(SharedSecret other) {
        byte[] second = other.accepted.get(0);
        if (accepted.size() >= ACCEPTED_MAX) {
            throw new ConfigurationException(
                    "a node has at most two shared secrets at one time: take out the one that no node proves any more");
        }
        if (Arrays.equals(accepted.get(0), second)) {
            throw new ConfigurationException("the two shared secrets are the same: leave one out");
        }
        List<byte[]> both = new ArrayList<>(accepted);
        both.add(second);
        return new SharedSecret(List.copyOf(both));
    }

    /** All that count, the one to prove first; not to be changed. */
    List<byte[]> accepted() {
        return accepted;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SharedSecret secret
                && accepted.size() == secret.accepted.size()
                && Arrays.deepEquals(accepted.toArray(), secret.accepted.toArray());
    }

    @Override
    public int hashCode() {
        return Objects.hash(accepted.size());
    }

    /** Says that there is a secret, and nothing about it. */
    @Override
    public String toString() {
        return "SharedSecret";
    }
}
