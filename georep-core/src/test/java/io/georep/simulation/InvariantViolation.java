package io.georep.simulation;

/** An invariant of {@code docs/how-it-works/protocol.md} does not hold. */
final class InvariantViolation extends AssertionError {
    private static final long serialVersionUID = 1L;

    InvariantViolation(String invariant, String detail) {
        super(invariant + ": " + detail);
    }

    static void check(boolean condition, String invariant, java.util.function.Supplier<String> detail) {
        if (!condition) {
            throw new InvariantViolation(invariant, detail.get());
        }
    }
}
