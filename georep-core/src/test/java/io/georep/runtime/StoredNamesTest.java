package io.georep.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.NodeId;
import io.georep.model.StoreException;
import io.georep.protocol.HandMadePeers;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.TestTurn;
import io.georep.rumour.RumourProtocol;
import io.georep.tally.TallyProtocol;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredNamesTest {
    private static final Peers PEERS = new HandMadePeers(NodeId.of("a"));

    private final TestTurn turn = new TestTurn();

    private void boot(HostedProtocol<?>... protocols) {
        StoredNames.check(turn.disk(), List.of(protocols), turn.store());
        turn.completeStore();
    }

    @Test
    void aNumberThatGoesToAnotherProtocolIsRefusedByName() {
        boot(new TallyProtocol(70, PEERS), new RumourProtocol(200, PEERS));
        boot(new TallyProtocol(70, PEERS));

        assertThatThrownBy(() -> boot(new TallyProtocol(70, PEERS), new TallyProtocol(200, PEERS)))
                .as("although it was not hosted meanwhile")
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("protocol 'rumours' wrote under number 200")
                .hasMessageContaining("give 'tally' another number");
        boot(new RumourProtocol(200, PEERS), new TallyProtocol(71, PEERS));
    }

    @Test
    void nothingIsWrittenForWhatIsKnown() {
        boot(new TallyProtocol(70, PEERS));
        StoredNames.check(
                turn.disk(), List.of(new TallyProtocol(70, PEERS), new PeerInspection(PEERS, 2)), turn.store());

        assertThat(turn.store().isEmpty()).isTrue();
    }
}
