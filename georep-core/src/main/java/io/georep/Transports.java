package io.georep;

import io.georep.model.ConfigurationException;
import io.georep.model.ProtocolConfig;
import io.georep.protocol.local.ProtocolModule;
import io.georep.spi.TransportFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Finds what makes a node's transport, and how large its frames get. */
final class Transports {
    /** Room for the envelope and the frame around the largest payload or group. */
    private static final int FRAME_SLACK = 64 << 10;

    private Transports() {}

    /** Returns the given factory, or else the one on the class path. */
    static TransportFactory factory(@Nullable TransportFactory given) {
        return given == null ? onClassPath() : given;
    }

    private static TransportFactory onClassPath() {
        List<TransportFactory> found = new ArrayList<>();
        ServiceLoader.load(TransportFactory.class).forEach(found::add);
        if (found.isEmpty()) {
            throw new ConfigurationException("no transport on the class path: add io.georep:georep-netty,"
                    + " or give the builder one with transport(...)");
        }
        if (found.size() > 1) {
            throw new ConfigurationException("several transports on the class path: "
                    + found.stream()
                            .map(factory -> factory.getClass().getName())
                            .toList()
                    + ": keep one, or choose with transport(...)");
        }
        return found.get(0);
    }

    /** Returns the bytes of the largest frame of these protocols. */
    static int frameBytesMax(ProtocolConfig protocol, List<ProtocolModule<?, ?, ?>> modules) {
        int messageBytesMax = Math.max(protocol.groupBytesMax(), protocol.payloadBytesMax());
        for (ProtocolModule<?, ?, ?> module : modules) {
            messageBytesMax = Math.max(messageBytesMax, module.messageBytesMax());
        }
        return messageBytesMax + FRAME_SLACK;
    }
}
