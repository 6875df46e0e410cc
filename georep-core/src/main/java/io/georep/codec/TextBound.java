package io.georep.codec;

import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.nio.charset.StandardCharsets;

/** How long each text may be that comes from another node, in bytes of UTF-8: the same for handshakes and messages. */
public enum TextBound {
    /** {@code host:port}: a name of 253 characters, or an address in brackets. */
    ADDRESS("address", 262),

    /** The site: the place that fails as a whole. */
    SITE("site", 128),

    /** Name of the cluster. */
    CLUSTER("cluster", 64),

    /** Name of the node that is dialled, or nothing. */
    EXPECTED("expected id", NodeId.LENGTH_MAX),

    /** Name of a protocol. */
    PROTOCOL("name of a protocol", 32);

    private final String what;
    private final int bytesMax;

    TextBound(String what, int bytesMax) {
        this.what = what;
        this.bytesMax = bytesMax;
    }

    /** Most bytes. */
    public int bytesMax() {
        return bytesMax;
    }

    /**
     * Reads a text.
     *
     * @throws MalformedException when it is too long, or has control characters: it goes to logs, where it must not be
     *     able to forge lines
     */
    public String read(BinReader in) {
        Slice bytes = in.bytes();
        if (bytes.length() > bytesMax) {
            throw new MalformedException(what + " takes " + bytes.length() + " bytes, at most " + bytesMax);
        }
        String text = new String(bytes.array(), bytes.offset(), bytes.length(), StandardCharsets.UTF_8);
        if (text.chars().anyMatch(TextBound::forges)) {
            throw new MalformedException(what + " contains control characters");
        }
        return text;
    }

    /** Returns a text of a stranger for the log, in which question marks stand for what could forge lines there. */
    public static String printable(String text) {
        StringBuilder printable = new StringBuilder(text.length());
        text.chars().forEach(c -> printable.append(forges(c) ? '?' : (char) c));
        return printable.toString();
    }

    /** Control characters, C1 among them, and what Unicode takes for the end of a line or a paragraph. */
    private static boolean forges(int c) {
        return Character.isISOControl(c) || c == 0x2028 || c == 0x2029;
    }
}
