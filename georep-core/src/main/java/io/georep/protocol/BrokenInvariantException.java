package io.georep.protocol;

/**
 * What this node knows contradicts itself: a fault of this software, or of what keeps its memory or its store. No peer and
 * no application can cause it. Nothing it would do from here on can be trusted, so the turn ends and the node stops;
 * {@link HostedProtocol} never catches it.
 */
public final class BrokenInvariantException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what should hold and of what it does not. */
    public BrokenInvariantException(String message) {
        super(message);
    }

    /** The same fault with the turn it happened in. */
    public BrokenInvariantException(String message, BrokenInvariantException cause) {
        super(message, cause);
    }

    /**
     * Requires what always holds. Costs a comparison when it does.
     *
     * @param holds whether it does
     * @param promise what should hold, as a sentence
     * @param subject what it should hold of; its text is made only when it does not
     */
    public static void require(boolean holds, String promise, Object subject) {
        if (!holds) {
            throw new BrokenInvariantException(subject + ": " + promise);
        }
    }
}
