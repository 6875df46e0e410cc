package io.georep.examples.sms.receipts;

import org.jspecify.annotations.Nullable;

/** What became of a message: the states of SMPP 3.4, with the words receipts have for them. */
public enum MessageState {
    ENROUTE(1, "ENROUTE", false),
    DELIVERED(2, "DELIVRD", true),
    EXPIRED(3, "EXPIRED", true),
    DELETED(4, "DELETED", true),
    UNDELIVERABLE(5, "UNDELIV", true),
    ACCEPTED(6, "ACCEPTD", false),
    UNKNOWN(7, "UNKNOWN", true),
    REJECTED(8, "REJECTD", true);

    private final int code;
    private final String word;
    private final boolean last;

    MessageState(int code, String word, boolean last) {
        this.code = code;
        this.word = word;
        this.last = last;
    }

    /** SMPP's message_state. */
    public byte code() {
        return (byte) code;
    }

    /** The word after {@code stat:}. */
    public String word() {
        return word;
    }

    /** Returns whether nothing else follows. */
    public boolean last() {
        return last;
    }

    /** The state of a code; null for one that SMPP 3.4 does not have. */
    static @Nullable MessageState of(byte code) {
        for (MessageState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        return null;
    }

    /** The state of a word; null for one that SMPP 3.4 does not have. */
    static @Nullable MessageState of(String word) {
        for (MessageState state : values()) {
            if (state.word.equalsIgnoreCase(word)) {
                return state;
            }
        }
        return null;
    }
}
