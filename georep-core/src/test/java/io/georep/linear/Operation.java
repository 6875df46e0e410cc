package io.georep.linear;

import java.util.Objects;
import java.util.stream.Stream;

/**
 * One operation on one key, as its caller saw it. Times order events; two of them are equal only if nothing is known about their
 * order. A write that was repeated under one operation number is one operation, from its first attempt to its last answer.
 *
 * @param value what a write sets, or what {@link Kind#EXPIRE} takes away; else null
 * @param expected for {@link Kind#REPLACE}; else null
 * @param invoked when it began
 * @param answered when its outcome was known; {@link #NEVER} if it never was: then it may have taken effect at any time since, or may not
 *     have, or may still
 * @param applied the answer of {@link Kind#REMOVE} (there was a value), {@link Kind#REPLACE} (it was the expected one), and
 *     {@link Kind#TRANSFER} (there was enough)
 * @param seen the answer of {@link Kind#READ}, of {@link Kind#PUT_IF_ABSENT} the value that was in the way, of {@link Kind#TRANSFER} what is
 *     left; null for none
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
        EXPIRE,
        /**
         * Moves money between two accounts of a bank, which is one key: {@code from,to,amount}. The value of the key are the balances, with commas
         * between them; none for an account that still has what it was opened with.
         */
        TRANSFER
    }

    /** What each account of a bank is opened with. */
    public static final int OPENING = 100;

    private static final String NEW_BANK = ",,,";

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
                    case TRANSFER -> Objects.equals(seen, left(state)) && applied == (seen != null);
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
            case TRANSFER -> left(state) == null ? state : transferred(state);
        };
    }

    /** Returns what is left of the account that a transfer takes from; null if there is not enough. */
    String left(String state) {
        int[] transfer = transfer();
        int left = balance(balances(state)[transfer[0]]) - transfer[2];
        return left < 0 ? null : Integer.toString(left);
    }

    private String transferred(String state) {
        int[] transfer = transfer();
        String[] balances = balances(state);
        balances[transfer[0]] = left(state);
        balances[transfer[1]] = Integer.toString(balance(balances[transfer[1]]) + transfer[2]);
        return String.join(",", balances);
    }

    private int[] transfer() {
        return Stream.of(value.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    private static String[] balances(String state) {
        return (state == null ? NEW_BANK : state).split(",", -1);
    }

    private static int balance(String balance) {
        return balance.isEmpty() ? OPENING : Integer.parseInt(balance);
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
            case TRANSFER -> "transfer " + value;
        };
        String answer = switch (kind) {
            case READ, PUT_IF_ABSENT, TRANSFER -> " -> " + seen;
            case REMOVE, REPLACE -> " -> " + applied;
            default -> "";
        };
        return "[" + invoked + ", " + (isAnswered() ? answered + "] " : "?] ") + who + " " + key + " " + what
                + (isAnswered() ? answer : "");
    }
}
