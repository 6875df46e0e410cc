package io.georep.netty.internal.wire;

import io.georep.model.NodeIdentity;

/** What the two ends of a new connection tell each other; bytes are {@link HandshakeFormat}'s business. */
public sealed interface Handshake {
    /**
     * First message, from the dialer.
     *
     * @param versionMin lowest wire version the dialer speaks
     * @param versionMax highest wire version the dialer speaks
     * @param cluster name both sides must agree on
     * @param identity who dials
     * @param expected id of the node that should answer, empty when anybody may
     * @param chosenBy channel of the protocol that chose this link; 0 for a link to a peer
     */
    record Hello(int versionMin, int versionMax, String cluster, NodeIdentity identity, String expected, int chosenBy)
            implements Handshake {
        /** For a link to a peer. */
        public Hello(int versionMin, int versionMax, String cluster, NodeIdentity identity, String expected) {
            this(versionMin, versionMax, cluster, identity, expected, 0);
        }
    }

    /**
     * The acceptor agrees; frames may flow.
     *
     * @param version the wire version of this connection
     * @param identity who answers
     */
    record Accept(int version, NodeIdentity identity) implements Handshake {}

    /** The acceptor does not agree and closes the connection. */
    record Refuse(RefusalCode code, String reason) implements Handshake {}

    /** What came is no handshake. Never sent. */
    record Garbage(String reason) implements Handshake {}
}
