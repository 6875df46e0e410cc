package io.georep.codec;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.georep.model.BrokenInvariantException;
import io.georep.model.StoreException;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes in place of any format that has golden bytes: they are read, or refused as malformed. The first byte chooses the
 * format.
 */
class FormatFuzz {
    private static final List<String> GOLDEN = List.of(
            "io.georep.outbox.local.EntryEnvelopeGoldenTest",
            "io.georep.flagons.core.FleetGoldenTest",
            "io.georep.funnel.core.FunnelGoldenTest",
            "io.georep.funnel.core.MasterGoldenTest",
            "io.georep.geopaxos.core.GeoGoldenTest",
            "io.georep.geopaxos.core.map.MapGoldenTest",
            "io.georep.keys.core.KeyGoldenTest",
            "io.georep.outbox.core.OutboxGoldenTest",
            "io.georep.outbox.core.OutboxStoreGoldenTest",
            "io.georep.protocol.membership.MembershipGoldenTest",
            "io.georep.runtime.FrameGoldenTest");

    private static final List<GoldenFormats.Format> FORMATS = formats();

    private static List<GoldenFormats.Format> formats() {
        List<GoldenFormats.Format> formats = new ArrayList<>();
        for (String golden : GOLDEN) {
            try {
                Constructor<?> constructor = Class.forName(golden).getDeclaredConstructor();
                constructor.setAccessible(true);
                formats.addAll(((GoldenFormats) constructor.newInstance()).formats());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        // A node makes its keys itself, and the store finds those that were damaged.
        formats.removeIf(format -> format.name().startsWith("key "));
        return formats;
    }

    static Stream<byte[]> seeds() {
        return FORMATS.stream().map(format -> {
            byte[] seed = new byte[format.bytes().length + 1];
            seed[0] = (byte) FORMATS.indexOf(format);
            System.arraycopy(format.bytes(), 0, seed, 1, format.bytes().length);
            return seed;
        });
    }

    @MethodSource("seeds")
    @FuzzTest(maxExecutions = 4_000_000, maxDuration = "1h")
    void anyBytes(byte[] input) {
        if (input.length == 0) {
            return;
        }
        GoldenFormats.Format format = FORMATS.get(Byte.toUnsignedInt(input[0]) % FORMATS.size());
        try {
            var unused = format.read().apply(Arrays.copyOfRange(input, 1, input.length));
        } catch (MalformedException | StoreException e) {
            // Refused, the latter for what a whole store says: damage, another version, another node.
        } catch (BrokenInvariantException e) {
            // Facts that can be read, and contradict those before them.
            if (!format.name().startsWith("fact ")) {
                throw e;
            }
        }
    }
}
