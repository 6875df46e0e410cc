package io.georep.netty.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.netty.internal.Samples;
import io.georep.netty.internal.wire.Handshake;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private final Admission admission = new Admission(Samples.AMS, "georep");

    private static NodeIdentity boot(long nonce) {
        return new NodeIdentity(NodeId.of("x"), 1, 1, nonce, "x:1", "");
    }

    private EmbeddedChannel admit(NodeIdentity identity) {
        EmbeddedChannel channel = new EmbeddedChannel();
        Handshake answer = admission.answer(new Handshake.Hello(1, 1, "georep", identity, ""), channel);
        assertThat(answer).isInstanceOf(Handshake.Accept.class);
        return channel;
    }

    @Test
    void refusalAnswersTheLinksOfThatBootOnly() {
        EmbeddedChannel first = admit(boot(1));
        EmbeddedChannel second = admit(boot(1));
        admit(boot(2));
        EmbeddedChannel gone = admit(boot(1));
        admission.left(gone);

        assertThat(admission.refuse(boot(1), "why")).containsExactlyInAnyOrder(first, second);
        assertThat(admission.reasonAgainst(boot(1))).isEqualTo("why");
        assertThat(admission.reasonAgainst(boot(2))).isNull();
    }

    private Handshake choose(int channel, int node) {
        NodeIdentity chooser = new NodeIdentity(NodeId.of("n" + node), 1, 1, node, "n" + node + ":1", "");
        return admission.answer(new Handshake.Hello(1, 1, "georep", chooser, "", channel), new EmbeddedChannel());
    }

    @Test
    void oneNodeDoesNotTakeAllLinksOfOthersChoice() {
        for (int link = 0; link < Admission.CHOSEN_OF_ONE_MAX; link++) {
            assertThat(choose(9, 7)).isInstanceOf(Handshake.Accept.class);
        }

        assertThat(choose(9, 7))
                .isInstanceOfSatisfying(
                        Handshake.Refuse.class,
                        refuse -> assertThat(refuse.reason()).contains("32 of n7"));
        assertThat(choose(9, 8)).isInstanceOf(Handshake.Accept.class);
    }

    @Test
    void linksOfOthersChoiceAreBoundedAndPeersAreLetInAllTheSame() {
        for (int link = 0; link < Admission.CHOSEN_MAX; link++) {
            assertThat(choose(9, 100 + link)).isInstanceOf(Handshake.Accept.class);
        }

        assertThat(choose(9, 1000))
                .isInstanceOfSatisfying(
                        Handshake.Refuse.class,
                        refuse -> assertThat(refuse.reason()).contains("256 links beyond its peers'"));
        admit(boot(1));
    }

    /** A seed dials eight addresses every half a minute, whoever is linked; a balancer may lead them all to one node. */
    @Test
    void theLinkThatServesAProcessIsNotEndedByWhatItDialsBesides() {
        EmbeddedChannel serving = admit(boot(1));
        assertThat(admission.succeed(serving)).isEmpty();

        EmbeddedChannel besides = admit(boot(1));
        for (int link = 2; link <= Admission.PEER_LINKS_MAX; link++) {
            admit(boot(1));
        }

        assertThat(serving.isOpen()).isTrue();
        assertThat(besides.isOpen()).isFalse();
    }

    /** What an earlier process has left serves nobody. */
    @Test
    void theLinkOfAnEarlierProcessGivesWay() {
        EmbeddedChannel earlier = admit(boot(1));
        assertThat(admission.succeed(earlier)).isEmpty();

        for (int link = 1; link <= Admission.PEER_LINKS_MAX; link++) {
            admit(boot(2));
        }

        assertThat(earlier.isOpen()).isFalse();
    }

    /** A peer that goes on dialling and says nothing would take all descriptors otherwise. */
    @Test
    void theOldestOfTooManyLinksOfAPeerGivesWay() {
        EmbeddedChannel other = new EmbeddedChannel();
        NodeIdentity y = new NodeIdentity(NodeId.of("y"), 1, 1, 1, "y:1", "");
        admission.answer(new Handshake.Hello(1, 1, "georep", y, ""), other);
        choose(9, 1);
        EmbeddedChannel oldest = admit(boot(1));
        EmbeddedChannel next = admit(boot(2));
        for (int link = 2; link < Admission.PEER_LINKS_MAX; link++) {
            admit(boot(link));
        }
        assertThat(oldest.isOpen()).isTrue();

        EmbeddedChannel newest = admit(boot(1));

        assertThat(oldest.isOpen()).isFalse();
        assertThat(next.isOpen()).isTrue();
        assertThat(newest.isOpen()).isTrue();
        assertThat(other.isOpen()).isTrue();
    }

    @Test
    void aPeersLinkTakesOverFromItsLinkOfBeforeAndFromNoneOfItsChoice() {
        EmbeddedChannel before = admit(boot(1));
        choose(9, 1);
        EmbeddedChannel heir = admit(boot(1));

        assertThat(admission.succeed(heir)).containsExactly(before);
    }

    @Test
    void refusalLastsUntilTheBootsAddressIsWantedForItsId() {
        admission.refuse(boot(1), "why");

        admission.pardon(Map.of(NodeId.of("x"), "elsewhere:1", NodeId.of("y"), "x:1"));
        assertThat(admission.reasonAgainst(boot(1))).isEqualTo("why");

        admission.pardon(Map.of(NodeId.of("x"), "x:1"));
        assertThat(admission.reasonAgainst(boot(1))).isNull();
    }

    @Test
    void refusalEndsWithItsPardonAndNoOtherDoes() {
        admission.refuse(boot(1), "why");
        admission.refuse(boot(2), "why not");

        admission.pardon(boot(1));

        assertThat(admission.reasonAgainst(boot(1))).isNull();
        assertThat(admission.reasonAgainst(boot(2))).isEqualTo("why not");
    }

    @Test
    void pausePausesLinksThatAreThereAndThoseThatCome() {
        EmbeddedChannel early = admit(boot(1));
        admission.reading(false);
        EmbeddedChannel late = admit(boot(2));

        assertThat(early.config().isAutoRead()).isFalse();
        assertThat(late.config().isAutoRead()).isFalse();

        admission.reading(true);

        assertThat(early.config().isAutoRead()).isTrue();
        assertThat(late.config().isAutoRead()).isTrue();
    }

    @Test
    void aLinkThatWaitsForRoomIsNotReadWhoeverElseIs() {
        EmbeddedChannel crowded = admit(boot(1));
        admission.crowded(crowded, true);
        admission.reading(false);
        admission.reading(true);
        assertThat(crowded.config().isAutoRead()).isFalse();

        admission.reading(false);
        admission.crowded(crowded, false);
        assertThat(crowded.config().isAutoRead()).as("nobody is read").isFalse();
        admission.reading(true);
        assertThat(crowded.config().isAutoRead()).isTrue();
    }

    @Test
    void oldestRefusalIsForgottenFirst() {
        for (int nonce = 0; nonce <= Admission.REFUSALS_MAX; nonce++) {
            admission.refuse(boot(nonce), "why");
        }

        assertThat(admission.reasonAgainst(boot(0))).isNull();
        assertThat(admission.reasonAgainst(boot(1))).isEqualTo("why");
    }
}
