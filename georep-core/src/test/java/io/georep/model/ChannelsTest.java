package io.georep.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChannelsTest {
    @Test
    void theSameNumberUnderAnotherNameIsNotShared() {
        Channels ours = Channels.of(Map.of(1, 1, 2, 2, 9, 1)).named(Map.of(1, "membership", 2, "outbox", 9, "tally"));
        Channels theirs = Channels.of(Map.of(1, 1, 2, 1, 9, 3)).named(Map.of(1, "membership", 2, "outbox", 9, "votes"));

        assertThat(theirs.sharedWith(ours)).hasToString("{1=1 membership, 2=1 outbox}");
        assertThat(theirs.sharedWith(ours).version(9)).isZero();
        assertThat(theirs.differs(9, ours)).isTrue();
        assertThat(theirs.differs(1, ours)).isFalse();
        assertThat(Channels.NONE.differs(1, ours)).as("one of them hosts none").isFalse();
        assertThat(ours.differs(1, Channels.NONE)).as("one of them hosts none").isFalse();
        assertThat(theirs).isNotEqualTo(theirs.named(Map.of()));
    }

    @Test
    void everyChannelHasItsVersionAndAllOthersNone() {
        Channels channels = Channels.of(Map.of(1, 255, 255, 3));

        assertThat(channels.version(1)).isEqualTo(255);
        assertThat(channels.version(255)).isEqualTo(3);
        assertThat(channels.version(0)).isZero();
        assertThat(channels.version(2)).isZero();
        assertThat(Channels.of(Map.of(1, 1)).version(200)).as("beyond the last").isZero();
        assertThat(channels.versions()).containsExactly(Map.entry(1, 255), Map.entry(255, 3));
        assertThat(channels).isEqualTo(Channels.of(Map.of(255, 3, 1, 255))).hasToString("{1=255, 255=3}");
    }

    @Test
    void whoWasNeverMetHostsNothing() {
        assertThat(Channels.NONE.versions()).isEmpty();
    }

    @Test
    void numbersOutOfBoundsAreRefused() {
        for (Map<Integer, Integer> wrong :
                List.of(Map.of(0, 1), Map.of(256, 1), Map.of(-1, 1), Map.of(1, 0), Map.of(1, 256))) {
            assertThatThrownBy(() -> Channels.of(wrong)).as("%s", wrong).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
