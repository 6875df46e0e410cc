package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.Slice;
import io.georep.protocol.LinkingTurn;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Links that protocols choose, beside those of the membership. */
class ChosenLinksTest extends ChosenLinksFixture {
    @Test
    void aLinkIsOpenedOnceAndCarriesWhatIsSentOnTheProtocolsChannel() {
        choose(CHOOSER, turn -> {
            turn.openLink("s:1");
            turn.openLink("s:1");
        });
        turn(new Input.LinkOpened(1, STRANGER));
        choose(CHOOSER, turn -> {
            turn.send("s:1", 3, Slice.of(new byte[10]));
            turn.send("nobody:1", 3, Slice.of(new byte[10]));
            turn.closeLink("s:1");
            turn.send("s:1", 3, Slice.of(new byte[10]));
        });

        assertThat(asked).containsExactly("open 1 7 s:1", "send 1 11", "close 1");
        assertThat(heard).containsExactly("7 up s:1 s");
    }

    @Test
    void whatWaitsForDurabilityGoesOverALinkOnceItsBatchIsDurable() {
        choose(CHOOSER, turn -> turn.openLink("s:1"));
        turn(new Input.LinkOpened(1, STRANGER));
        asked.clear();

        choose(CHOOSER, turn -> {
            turn.sendWhenDurable("s:1", 3, Slice.of(new byte[10]));
            assertThat(turn.store().isDurableRequired()).isTrue();
        });
        assertThat(asked).isEmpty();
        turn(new Input.Durable(2));

        assertThat(asked).containsExactly("send 1 11");
        choose(
                CHOOSER,
                turn -> assertThatThrownBy(() -> turn.sendWhenDurable(
                                "s:1", 3, Slice.of(new byte[LinkingTurn.LINK_MESSAGE_BYTES_MAX + 1])))
                        .isInstanceOf(IllegalArgumentException.class));
    }

    @Test
    void theLeastRecentlyUsedLinkIsClosedForOneMore() {
        choose(CHOOSER, turn -> {
            turn.openLink("one:1");
            turn.openLink("two:1");
            turn.openLink("three:1");
            turn.send("one:1", 1, Slice.EMPTY);
            turn.openLink("two:1");
        });
        asked.clear();

        choose(CHOOSER, turn -> turn.openLink("four:1"));
        assertThat(asked).as("three was used last before the others").containsExactly("open 4 7 four:1", "close 3");
        assertThat(heard).containsExactly("7 down three:1: made room for a link that is used more");
        choose(CHOOSER, turn -> turn.openLink("five:1"));
        choose(CHOOSER, turn -> turn.openLink("six:1"));

        assertThat(asked).endsWith("open 5 7 five:1", "close 1", "open 6 7 six:1", "close 2");
    }

    @Test
    void linksOfOthersAreNobodysRoom() {
        choose(OTHER_CHOOSER, turn -> turn.openLink("theirs:1"));
        turn(new Input.LinkUp(MEMBER));
        asked.clear();

        choose(CHOOSER, turn -> {
            for (int i = 0; i < 10; i++) {
                turn.openLink("s:" + i);
            }
            turn.closeLink("theirs:1");
        });

        assertThat(asked).as("neither the other protocol's link nor targets").noneMatch(it -> it.equals("close 1"));
        assertThat(asked).noneMatch(it -> it.startsWith("targets"));
        assertThat(heard).isNotEmpty().allMatch(it -> it.startsWith("7 "));
    }

    @Test
    void lateNewsOfALinkThatIsClosedIsNobodys() {
        choose(CHOOSER, turn -> {
            turn.openLink("s:1");
            turn.closeLink("s:1");
            turn.openLink("s:1");
        });

        turn(new Input.LinkOpened(1, STRANGER), new Input.LinkEnded(1, "broken"));
        assertThat(heard).isEmpty();

        turn(new Input.LinkOpened(2, STRANGER), new Input.LinkEnded(2, "broken"), new Input.LinkEnded(2, "broken"));
        assertThat(heard).containsExactly("7 up s:1 s", "7 down s:1: broken");
        choose(CHOOSER, turn -> turn.openLink("s:1"));
        assertThat(asked).endsWith("open 3 7 s:1");
    }

    @Test
    void aLinkIsWritableWhileItIsUpAndHasRoom() {
        List<Boolean> seen = new ArrayList<>();
        Consumer<LinkingTurn> look = turn -> seen.add(turn.writable("s:1"));
        choose(CHOOSER, turn -> turn.openLink("s:1"));
        choose(CHOOSER, look);
        turn(new Input.LinkOpened(1, STRANGER));
        choose(CHOOSER, look);
        turn(new Input.LinkWritable(1, false));
        choose(CHOOSER, look);
        turn(new Input.LinkWritable(1, true));
        choose(CHOOSER, look);
        turn(new Input.LinkEnded(1, "broken"), new Input.LinkWritable(1, true));
        choose(CHOOSER, look);

        assertThat(seen).containsExactly(false, true, false, true, false);
    }

    @Test
    void aNodeWithoutTheProtocolIsNoUse() {
        choose(CHOOSER, turn -> turn.openLink("s:1"));

        turn(new Input.LinkOpened(1, STRANGER.withChannels(hosting(Map.of(1, 1, OUTBOX, 1)))));

        assertThat(asked).endsWith("close 1");
        assertThat(heard).containsExactly("7 down s:1: node 's' does not host the protocol on channel 7");
    }

    @Test
    void aTransportWithoutSuchLinksSaysSo() {
        opensLinks = false;

        choose(CHOOSER, turn -> turn.openLink("s:1"));

        assertThat(asked).isEmpty();
        assertThat(heard)
                .containsExactly("7 down s:1: the transport of this node opens no links beyond the membership's");
    }

    private long heardNanos() {
        long[] heard = new long[1];
        choose(CHOOSER, turn -> heard[0] = turn.heardNanos());
        return heard[0];
    }

    @Test
    void aProtocolKnowsUpToWhenAllThatCameWasHeard() {
        long began = now;
        hasThreads = true;
        now += 5;
        choose(CHOOSER, LinkingTurn::goRound);
        assertThat(asked).containsExactly("round " + now);
        now += 5;
        assertThat(heardNanos()).as("nobody has come round").isEqualTo(began);

        turn(new Input.CameRound(began + 5));
        assertThat(heardNanos()).isEqualTo(began + 5);
        assertThat(asked).as("it is asked for once").hasSize(1);

        hasThreads = false;
        choose(CHOOSER, LinkingTurn::goRound);
        assertThat(heardNanos()).as("nobody has to").isEqualTo(now);
    }

    @Test
    void aMessageThatIsTooLongIsRefusedWhereItIsSent() {
        choose(CHOOSER, turn -> {
            turn.openLink("s:1");
            turn.send("s:1", 1, Slice.of(new byte[LinkingTurn.LINK_MESSAGE_BYTES_MAX]));
        });
        assertThat(asked).endsWith("send 1 " + (LinkingTurn.LINK_MESSAGE_BYTES_MAX + 1));

        assertThatThrownBy(() -> choose(
                        CHOOSER,
                        turn -> turn.send("s:1", 1, Slice.of(new byte[LinkingTurn.LINK_MESSAGE_BYTES_MAX + 1]))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cut it up");
    }

    @Test
    void onlyAProtocolThatChoosesLinksGetsThem() {
        Consumer<Turn> command = turn -> assertThat(turn).isNotInstanceOf(LinkingTurn.class);
        turn(new Input.Command(OUTBOX, command));
    }
}
