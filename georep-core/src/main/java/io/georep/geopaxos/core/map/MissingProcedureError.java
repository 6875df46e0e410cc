package io.georep.geopaxos.core.map;

/** A call was ordered of a procedure that this node does not have: the node cannot go on. */
public final class MissingProcedureError extends Error {
    private static final long serialVersionUID = 1;

    MissingProcedureError(String id) {
        super("the procedure " + id + " was ordered, and this node does not have it");
    }
}
