package io.georep.netty.internal;

import io.georep.model.NodeIdentity;
import io.netty.channel.Channel;

/** Told how dialling went, on the control loop: exactly one of these. */
interface Attempt {
    /** The handshake is done; frames may be written. */
    void accepted(Channel channel, ChunkWriter writer, NodeIdentity peer);

    /** The node at the address does not want the link. */
    void refused(RefusalCode code, String reason);

    /** One of the two has not proved to the other who it is. */
    void distrusted(String reason);

    /** Nobody there, or nobody of ours. */
    void failed(String reason);
}
