package io.georep.examples.sms;

import io.georep.model.EntryId;

/** How messages are called in front of SMPP clients; those of HTTP are told the whole entry id. */
public final class MessageId {
    /** Longest id SMPP can carry. */
    public static final int LENGTH_MAX = 64;

    private MessageId() {}

    /**
     * The entry id, which is what the operator and logs show as well. Names of nodes may be so long that SMPP cannot carry
     * it: then only the end, in which the numbers are.
     */
    public static String of(EntryId id) {
        String text = id.toString();
        return text.length() <= LENGTH_MAX ? text : text.substring(text.length() - LENGTH_MAX);
    }
}
