package io.georep.outbox;

/** Why an entry that a handler gets may have been forwarded before. If several hold, the first one here is told. */
public enum RepetitionCause {
    /** An attempt at it failed before, on this or another node. */
    ATTEMPTED,

    /** This node took it over from another one, which may have forwarded it. */
    ADOPTED,

    /** It was with the application, or was doubtful already, when this node was stopped. */
    RESTARTED,

    /**
     * The application gave it back and did not say what became of it, it was a dead letter, another node said that it had held
     * it, or no other owner said in time that it is not over.
     */
    UNCLEAR,

    /** Another owner may have taken it over meanwhile: this node has not heard from it for too long, or not yet since its start. */
    UNPROVEN
}
