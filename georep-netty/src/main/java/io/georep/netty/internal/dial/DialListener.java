package io.georep.netty.internal.dial;

import io.georep.model.NodeIdentity;
import io.georep.netty.internal.wire.RefusalCode;
import io.netty.channel.Channel;

/** Is told how dialling went, on the control loop. Exactly one of these methods is called. */
interface DialListener {
    /** The handshake is done; frames may be written. */
    void accepted(Channel channel, ChunkWriter writer, NodeIdentity peer);

    /** The node at the address does not want the link. */
    void refused(RefusalCode code, String reason);

    /** One of the two sides has not proved to the other who it is. */
    void distrusted(String reason);

    /** Nobody is there, or nobody who speaks this protocol. */
    void failed(String reason);
}
