package io.georep.spring.boot.actuate;

import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.OrderedMapsPlacement;
import io.georep.model.Slice;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which groups have the keys of an ordered map. Keys are shown as text, or as {@code 0x} and hexadecimal digits if they are none.
 *
 * @param decider the node that decides where keys go; it alone tells of reads and writes
 * @param next where to read on; null at the end
 */
record MapPlacement(
        @Nullable String decider,
        List<Leaf> leaves,
        @Nullable String next) {
    private static final String HEX = "0x";
    private static final int DEFAULT_MAX = 100;

    /**
     * Neighbouring keys.
     *
     * @param first the key from which on; empty for all before the next leaf
     * @param reads by group: how often nodes that are nearest to its home have read the keys lately
     * @param writes the same for writes
     */
    record Leaf(String first, int keys, List<Integer> groups, List<Integer> reads, List<Integer> writes) {}

    /** Reads a page. */
    static MapPlacement read(@Nullable OrderedMaps maps, String map, @Nullable String after, @Nullable Integer max) {
        if (maps == null) {
            throw EndpointRefusal.notFound("this node has no ordered maps: set georep.ordered-maps.groups");
        }
        try {
            OrderedMapsPlacement read =
                    NodeAnswers.of(maps.readPlacement(map, bytes(after), max == null ? DEFAULT_MAX : max));
            return new MapPlacement(
                    read.decider() == null ? null : read.decider().value(),
                    read.leaves().stream()
                            .map(leaf -> new Leaf(
                                    text(leaf.first()), leaf.keys(), leaf.groups(), leaf.reads(), leaf.writes()))
                            .toList(),
                    read.next() == null ? null : text(read.next()));
        } catch (IllegalArgumentException e) {
            throw EndpointRefusal.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private static Slice bytes(@Nullable String after) {
        if (after == null) {
            return Slice.EMPTY;
        }
        return after.startsWith(HEX)
                ? Slice.of(HexFormat.of().parseHex(after.substring(HEX.length())))
                : Slice.utf8(after);
    }

    private static String text(Slice key) {
        byte[] bytes = key.toArray();
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (!text.startsWith(HEX) && text.codePoints().noneMatch(Character::isISOControl)) {
                return text;
            }
        } catch (CharacterCodingException e) {
            // No text.
        }
        return HEX + HexFormat.of().formatHex(bytes);
    }
}
