package io.georep.spring.boot.actuate;

import io.georep.GeoRepNode;
import io.georep.NodeState;

/** The endpoint cannot do what it was asked; the message says why and what to do instead. */
public final class EndpointRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int UNAVAILABLE = 503;

    private final int status;

    private EndpointRefusal(int status, String message) {
        super(message);
        this.status = status;
    }

    /** The request is wrong. */
    static EndpointRefusal badRequest(String message) {
        return new EndpointRefusal(BAD_REQUEST, message);
    }

    /** This node may not do that. */
    static EndpointRefusal forbidden(String message) {
        return new EndpointRefusal(FORBIDDEN, message);
    }

    /** There is no such thing here. */
    static EndpointRefusal notFound(String message) {
        return new EndpointRefusal(NOT_FOUND, message);
    }

    /** The node cannot answer now. */
    static EndpointRefusal unavailable(String message) {
        return new EndpointRefusal(UNAVAILABLE, message);
    }

    /** Refuses everything that only a running node can do. */
    static void unlessRunning(GeoRepNode node) {
        NodeState state = node.state();
        if (state != NodeState.RUNNING) {
            throw unavailable("node " + node.identity().id() + " is " + state + ": " + remedy(node, state));
        }
    }

    private static String remedy(GeoRepNode node, NodeState state) {
        return state == NodeState.FAILED
                ? "it was stopped by " + node.failure() + "; mend the cause, then start its application again"
                : "ask another node, or start its application again";
    }

    /** Returns the HTTP status that says the same. */
    public int status() {
        return status;
    }
}
