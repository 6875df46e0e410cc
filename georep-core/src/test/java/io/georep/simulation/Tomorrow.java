package io.georep.simulation;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.Channels;
import io.georep.model.NodeIdentity;
import io.georep.model.Slice;
import io.georep.protocol.membership.FrameHeader;
import io.georep.runtime.Input;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * What a node of a later release would have sent in place of a frame: the same messages, and between them others that
 * today's nodes do not know. They must go on as if those were not there.
 */
final class Tomorrow {
    private static final int UNHEARD_OF = 200;
    private static final int TYPES_TO_COME = 100;

    private final RandomGenerator random;

    Tomorrow(RandomGenerator random) {
        this.random = random;
    }

    /** What the machine with this number hears: half of the others speak as nodes of a later release, if software is unlike. */
    static UnaryOperator<Input.Frame> heard(SimulatedCluster cluster, int number) {
        World world = cluster.world();
        if (!cluster.options().breadth.has(Breadth.Kind.SOFTWARE)) {
            return UnaryOperator.identity();
        }
        Tomorrow tomorrow = new Tomorrow(world.random("tomorrow " + number));
        return frame -> world.random("release of " + frame.from().id()).nextBoolean() ? tomorrow.frame(frame) : frame;
    }

    /** The frame as it may come in some years. */
    private Input.Frame frame(Input.Frame today) {
        BinReader in = new BinReader(Slice.of(today.bytes()));
        BinWriter out = new BinWriter(today.bytes().length + 100);
        FrameHeader.read(in).write(out);
        if (today.urgent()) {
            // Others keep their place in the lane of their first message.
            add(out, today.from().channels());
        }
        while (in.hasMore()) {
            out.u8(in.u8()).u8(in.u8()).bytes(in.bytes());
            add(out, today.from().channels());
        }
        return new Input.Frame(later(today.from()), out.toArray(), today.urgent());
    }

    /** The same node, whose protocols have grown. */
    private static NodeIdentity later(NodeIdentity today) {
        Map<Integer, Integer> versions = new TreeMap<>(today.channels().versions());
        versions.replaceAll((channel, version) -> version + 10);
        versions.put(UNHEARD_OF, 1);
        Map<Integer, String> names = new TreeMap<>();
        versions.keySet().forEach(channel -> names.put(channel, today.channels().name(channel)));
        names.put(UNHEARD_OF, "unheard-of");
        return today.withChannels(Channels.of(versions).named(names));
    }

    private void add(BinWriter out, Channels known) {
        while (random.nextInt(3) == 0) {
            boolean unheardOf = random.nextBoolean();
            Integer[] channels = known.versions().keySet().toArray(Integer[]::new);
            byte[] body = new byte[random.nextInt(20)];
            random.nextBytes(body);
            out.u8(unheardOf ? UNHEARD_OF + random.nextInt(50) : channels[random.nextInt(channels.length)])
                    .u8(unheardOf ? random.nextInt(256) : TYPES_TO_COME + random.nextInt(156))
                    .bytes(Slice.of(body));
        }
    }
}
