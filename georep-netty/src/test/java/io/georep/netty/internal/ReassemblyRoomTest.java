package io.georep.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Room for a frame of 16 MiB and 32 MiB beside it; who brings nothing for a second is stalled. */
class ReassemblyRoomTest {
    private static final int MIB = 1 << 20;
    private static final long SECOND = 1_000_000_000L;

    private long now = 5;
    private final ReassemblyRoom room = new ReassemblyRoom(16 * MIB, 1000, () -> now);
    private final List<String> told = new ArrayList<>();

    private ReassemblyRoom.Share link(String name) {
        return room.enter(new ReassemblyRoom.Tenant() {
            @Override
            public void granted() {
                told.add(name + " granted");
            }

            @Override
            public void expelled() {
                told.add(name + " expelled");
            }
        });
    }

    private ReassemblyRoom.Share full() {
        ReassemblyRoom.Share link = link("full");
        assertThat(room.take(link, 48 * MIB)).isTrue();
        return link;
    }

    @Test
    void whoFindsNoRoomWaitsInLine() {
        ReassemblyRoom.Share first = full();
        ReassemblyRoom.Share large = link("large");
        ReassemblyRoom.Share small = link("small");

        assertThat(room.take(large, 16 * MIB)).isFalse();
        assertThat(room.take(small, 1)).as("after the large one").isFalse();
        room.give(first, 8 * MIB);
        assertThat(told).isEmpty();
        room.give(first, 8 * MIB);

        assertThat(told).containsExactly("large granted");
        assertThat(room.used()).isEqualTo(48 * MIB);
        room.give(large, 16 * MIB);
        assertThat(told).containsExactly("large granted", "small granted");
        assertThat(room.waiting()).isZero();
    }

    /** Else nobody could ever bring it. */
    @Test
    void aFrameAloneMayBeLargerThanTheRoom() {
        ReassemblyRoom.Share huge = link("huge");
        assertThat(room.take(huge, 1L << 40)).isTrue();

        assertThat(room.take(link("next"), 1)).isFalse();
        room.give(huge, 1L << 40);
        assertThat(told).containsExactly("next granted");
    }

    /** An urgent frame between the parts of another: two links would wait for each other. */
    @Test
    void whoHasRoomGetsMore() {
        ReassemblyRoom.Share one = link("one");
        ReassemblyRoom.Share other = link("other");
        assertThat(room.take(one, 24 * MIB)).isTrue();
        assertThat(room.take(other, 24 * MIB)).isTrue();

        assertThat(room.take(one, MIB)).isTrue();
        assertThat(room.take(other, MIB)).isTrue();
    }

    @Test
    void whatALinkHadAndWaitedForIsFreeWhenItIsGone() {
        ReassemblyRoom.Share first = full();
        ReassemblyRoom.Share gone = link("gone");
        room.take(gone, 40 * MIB);
        room.take(link("next"), 40 * MIB);

        room.leave(gone);
        room.leave(gone);
        assertThat(room.used()).isEqualTo(48 * MIB);
        room.leave(first);

        assertThat(told).containsExactly("next granted");
        assertThat(room.used()).isEqualTo(40 * MIB);
    }

    @Test
    void whoBringsNothingIsExpelledWhenOthersWait() {
        ReassemblyRoom.Share slow = link("slow");
        ReassemblyRoom.Share stalled = link("stalled");
        room.take(slow, 24 * MIB);
        room.take(stalled, 24 * MIB);
        now += 10 * SECOND;
        room.look();
        assertThat(told).as("nobody waits").isEmpty();

        room.take(link("next"), 1);
        slow.active();
        room.look();

        assertThat(told).containsExactly("stalled expelled");
    }

    @Test
    void nobodyIsBlamedWhileNothingIsRead() {
        full();
        room.take(link("next"), 1);
        room.reading(false);
        now += 10 * SECOND;
        room.look();
        room.reading(true);
        now += SECOND - 1;
        room.look();
        assertThat(told).isEmpty();

        now += 1;
        room.look();
        assertThat(told).containsExactly("full expelled");
    }
}
