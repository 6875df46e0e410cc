package io.georep.linear;

import java.util.Objects;

/**
 * One operation on one key, as its caller saw it. Times order events; two of them are equal only if nothing is known about their
 * order. A write that was repeated under one operation number is one operation, from its first attempt to its last answer.
 *
 * @param value what a write sets, or what {@link Kind#EXPIRE} takes away; else null
 * @param expected for {@link Kind#REPLACE}; else null
 * @param invoked when it began
 * @param answered when its outcome was known; {@link #NEVER} if it never was: then it may have taken effect at any time since, or may not
 *     have, or may still
 * @param applied the answer of {@link Kind#REMOVE} (there was a value) and {@link Kind#REPLACE} (it was the expected one)
 * @param seen the answer of {@link Kind#READ}, and of {@link Kind#PUT_IF_ABSENT} the value that was in the way; null for none
 * @param who for messages
 */
public record Operation(
        String key,
        Kind kind,
        String value,
        String expected,
        long invoked,
        long answered,
        boolean applied,
        String seen,
        String who) {
    /** No answer. */
    public static final long NEVER = Long.MAX_VALUE;

    /** What is done. */
    public enum Kind {
        READ,
        PUT,
        REMOVE,
        PUT_IF_ABSENT,
        REPLACE,
        /** Takes a value away when its time is over, if the key still has it. Never answered. */
        EXPIRE
    }

    /** Checks the times. */
    public Operation {
        if (answered < invoked || (kind == Kind.EXPIRE && answered != NEVER)) {
            throw new IllegalArgumentException(kind + " of " + key + " from " + invoked + " to " + answered);
        }
    }

    /** Returns whether its outcome is known. */
    public boolean isAnswered() {
        return answered != NEVER;
    }

    /** Returns whether its answer is right if it takes effect while the key has this value. */
    boolean fits(String state) {
        if (kind == Kind.EXPIRE) {
            return value.equals(state);
        }
        return !isAnswered()
                || switch (kind) {
                    case READ, PUT_IF_ABSENT -> Objects.equals(seen, state);
                    case REMOVE -> applied == (state != null);
                    case REPLACE -> applied == expected.equals(state);
                    default -> true;
                };
    }

    /** Returns the value of the key afterwards. */
    String after(String state) {
        return switch (kind) {
            case READ -> state;
            case PUT -> value;
            case REMOVE, EXPIRE -> null;
            case PUT_IF_ABSENT -> state == null ? value : state;
            case REPLACE -> expected.equals(state) ? value : state;
        };
    }

    /** Returns it as one line of eight fields for other programs; {@code -} stands for none. */
    public String line() {
        return String.join(
                "\t",
                key,
                kind.name(),
                Objects.toString(value, "-"),
                Objects.toString(expected, "-"),
                Long.toString(invoked),
                isAnswered() ? Long.toString(answered) : "-",
                applied ? "1" : "0",
                Objects.toString(seen, "-"));
    }

    @Override
    public String toString() {
        String what = switch (kind) {
            case READ -> "read";
            case PUT -> "put " + value;
            case REMOVE -> "remove";
            case PUT_IF_ABSENT -> "putIfAbsent " + value;
            case REPLACE -> "replace " + expected + " by " + value;
            case EXPIRE -> "expiry of " + value;
        };
        String answer = switch (kind) {
            case READ, PUT_IF_ABSENT -> " -> " + seen;
            case REMOVE, REPLACE -> " -> " + applied;
            default -> "";
        };
        return "[" + invoked + ", " + (isAnswered() ? answered + "] " : "?] ") + who + " " + key + " " + what
                + (isAnswered() ? answer : "");
    }
}
