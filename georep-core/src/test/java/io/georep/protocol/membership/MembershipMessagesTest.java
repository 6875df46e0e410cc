package io.georep.protocol.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class MembershipMessagesTest {
    private static final PeerEntry SAMPLE = new PeerEntry(
            NodeId.of("nyc-1"),
            "nyc:7400",
            "us",
            300,
            0x0102030405060708L,
            -2,
            1,
            90_000,
            2,
            true,
            301,
            86_400_000,
            604_800_000);

    private static RandomGenerator random(long seed) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    private static PeerEntry randomEntry(RandomGenerator random) {
        return new PeerEntry(
                NodeId.of("n" + random.nextInt(1000)),
                random.nextBoolean() ? "" : "host" + random.nextInt(100) + ":7400",
                random.nextBoolean() ? "" : "zürich",
                random.nextLong(1L << 50),
                random.nextLong(),
                random.nextLong(),
                random.nextInt(3),
                random.nextLong(1L << 40),
                random.nextInt(9),
                random.nextBoolean(),
                random.nextInt(9),
                random.nextLong(1L << 40),
                random.nextLong(1L << 40));
    }

    @Test
    void listsSurviveTheWayThroughPages() {
        RandomGenerator random = random(7);
        List<PeerEntry> entries = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            entries.add(randomEntry(random));
        }

        List<Slice> pages = MembershipMessages.pages(entries);

        List<PeerEntry> read = new ArrayList<>();
        pages.forEach(page -> read.addAll(MembershipMessages.entries(new BinReader(page))));
        assertThat(read).isEqualTo(entries);
        assertThat(pages)
                .hasSizeGreaterThan(1)
                .allSatisfy(page -> assertThat(page.length()).isLessThan(MembershipMessages.PAGE_BYTES + 2 * 512));
    }

    @Test
    void refusesTrailingBytes() {
        BinWriter out = new BinWriter();
        out.raw(MembershipMessages.pages(List.of(SAMPLE)).get(0)).u8(0);

        assertThatThrownBy(() -> MembershipMessages.entries(new BinReader(out.view())))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("1 bytes after the end");
    }

    @Test
    void refusesNumbersThatCouldOverflowWhenCountedUp() {
        BinWriter out = new BinWriter();
        out.varint(1).node(NodeId.of("x")).text("").text("").varint(Long.MAX_VALUE);
        out.raw(new byte[30], 0, 30);

        assertThatThrownBy(() -> MembershipMessages.entries(new BinReader(out.view())))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("incarnation");
    }

    @Test
    void refusesGoodbyeNumberZero() {
        assertThatThrownBy(() -> MembershipMessages.goodbye(new BinReader(Slice.of(new byte[] {0, 5}))))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void damagedBytesAreReadOrRefusedButNeverBreakAnything() {
        for (long seed = 0; seed < 20_000; seed++) {
            RandomGenerator random = random(seed);
            byte[] bytes = MembershipMessages.pages(List.of(randomEntry(random), randomEntry(random)))
                    .get(0)
                    .toArray();
            for (int i = random.nextInt(4); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            Slice cut = new Slice(bytes, 0, random.nextInt(bytes.length + 1));
            try {
                assertThat(MembershipMessages.entries(new BinReader(cut)).size())
                        .isLessThanOrEqualTo(cut.length() / PeerEntry.BYTES_MIN);
            } catch (MalformedException expected) {
                assertThat(expected.getMessage()).isNotEmpty();
            }
        }
    }
}
