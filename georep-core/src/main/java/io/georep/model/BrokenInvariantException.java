package io.georep.model;

/**
 * Thrown because what this node knows contradicts itself. That is a fault of this software, of the memory, or of the
 * store; no peer and no application can cause it. Nothing that the node would do from here on can be trusted, so the
 * turn ends and the node stops. A protocol never catches it.
 */
public final class BrokenInvariantException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message that names what should hold, and for what it does not. */
    public BrokenInvariantException(String message) {
        super(message);
    }

    /** Creates the exception for the same fault, with the turn in which it happened. */
    public BrokenInvariantException(String message, BrokenInvariantException cause) {
        super(message, cause);
    }

    /**
     * Throws a {@link BrokenInvariantException} unless a condition holds. If it holds, this costs one comparison.
     *
     * @param holds the condition
     * @param promise what should hold, as a sentence
     * @param subject what it should hold for; its text is made only if it does not hold
     */
    public static void require(boolean holds, String promise, Object subject) {
        if (!holds) {
            throw new BrokenInvariantException(subject + ": " + promise);
        }
    }
}
