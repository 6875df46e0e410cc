package io.georep;

import io.georep.protocol.local.ProtocolModule;

/** Lets benchmarks give a node a protocol of the library with a part of theirs in it. */
public final class OwnProtocols {
    private OwnProtocols() {}

    public static NodeBuilder add(NodeBuilder builder, ProtocolModule<?, ?, ?> module) {
        return builder.addOwn(module);
    }
}
