package io.georep.netty.internal;

import io.netty.channel.ChannelPipeline;

/** Puts what protects the bytes of a connection in front of everything else in its pipeline. */
interface ChannelSecurity {
    /** Bytes travel as they are. */
    ChannelSecurity PLAIN = (pipeline, peer) -> {};

    /** Called while the pipeline is still empty; {@code peer} is the address dialled or that of the dialer. */
    void protect(ChannelPipeline pipeline, Endpoint peer);
}
