package io.georep.netty.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
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
        return link(name, name);
    }

    private ReassemblyRoom.Share link(String name, String peer) {
        return room.enter(
                new ReassemblyRoom.Tenant() {
                    @Override
                    public void granted() {
                        if (name.startsWith("poor")) {
                            throw new InternalError("as if memory had run out; JUnit ends with an OutOfMemoryError");
                        }
                        told.add(name + " granted");
                    }

                    @Override
                    public void expelled() {
                        told.add(name + " expelled");
                    }
                },
                NodeId.of(peer));
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

    /** What it is to do is an object. */
    @Test
    void whoCannotBeToldForLackOfMemoryHoldsUpNobody() {
        ReassemblyRoom.Share first = full();
        ReassemblyRoom.Share poor = link("poor");
        room.take(poor, 16 * MIB);
        room.take(link("next"), 16 * MIB);
        assertThat(poor.waits()).isTrue();

        room.leave(first);

        assertThat(told).containsExactly("next granted");
        assertThat(poor.waits()).as("it finds out by itself").isFalse();
        assertThat(room.used()).isEqualTo(32 * MIB);
        room.leave(poor);
        assertThat(room.used()).isEqualTo(16 * MIB);
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

    /** Else the links of one peer would take as much memory as they like: each a small frame, and a large one between its parts. */
    @Test
    void whoHasRoomDoesNotGetAnythingMore() {
        for (int i = 0; i < 24; i++) {
            ReassemblyRoom.Share link = link("link" + i);
            room.take(link, MIB);
            room.take(link, 16 * MIB);
        }

        assertThat(room.used()).isLessThanOrEqualTo(48 * MIB);
    }

    @Test
    void onePeerDoesNotKeepTheOthersWaiting() {
        ReassemblyRoom.Share greedy = link("greedy", "peer");
        assertThat(room.take(greedy, 16 * MIB)).isTrue();
        assertThat(room.take(link("second", "peer"), 8 * MIB)).isTrue();
        assertThat(room.take(link("third", "peer"), MIB)).as("half of the room").isFalse();
        assertThat(room.take(link("other"), 16 * MIB)).isTrue();
        assertThat(room.take(link("next"), 16 * MIB)).as("no room").isFalse();
        assertThat(room.take(link("last"), MIB)).as("after that one").isFalse();

        room.give(greedy, 16 * MIB);

        assertThat(told).containsExactly("third granted", "next granted", "last granted");
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
        slow.brings(24 * MIB / 16 - 1);
        slow.brings(1);
        stalled.brings(24 * MIB / 16 - 1);
        room.look();

        assertThat(told).as("almost nothing is nothing").containsExactly("stalled expelled");
    }

    /** Else two that trickle would keep the room for hours. */
    @Test
    void whoWouldTakeMuchLongerThanOthersCanWaitIsExpelled() {
        ReassemblyRoom.Share steady = link("steady");
        ReassemblyRoom.Share trickle = link("trickle");
        room.take(steady, 24 * MIB);
        room.take(trickle, 24 * MIB);
        room.take(link("next"), 24 * MIB);

        for (int i = 0; i < 16; i++) {
            now += SECOND;
            steady.brings(24 * MIB / 16 - 1);
            steady.brings(1);
            trickle.brings(ReassemblyRoom.PROGRESS_BYTES);
            room.look();
            assertThat(told).as("in second " + i).contains("trickle expelled").doesNotContain("steady expelled");
        }

        room.leave(trickle);
        assertThat(told).last().isEqualTo("next granted");
    }

    /** An urgent frame that is announced is not brought yet. */
    @Test
    void whoTakesMoreRoomHasNotBroughtAnything() {
        ReassemblyRoom.Share trickle = link("trickle");
        room.take(trickle, 48 * MIB);
        room.take(link("next"), 1);

        now += SECOND;
        room.take(trickle, MIB);
        room.look();

        assertThat(told).containsExactly("trickle expelled");
    }

    @Test
    void whoWaitedForMoreRoomHasTimeToBringIt() {
        ReassemblyRoom.Share other = link("other");
        ReassemblyRoom.Share waiting = link("waiting");
        room.take(other, 40 * MIB);
        room.take(waiting, MIB);
        assertThat(room.take(waiting, 20 * MIB)).isFalse();
        now += 10 * SECOND;
        room.give(other, 40 * MIB);
        room.take(link("next"), 48 * MIB);

        room.look();

        assertThat(told).containsExactly("waiting granted");
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
