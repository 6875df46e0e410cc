package io.georep;

import io.georep.model.ProtocolConfig;
import io.georep.outbox.OutboxProtocol;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.Peers;
import io.georep.protocol.membership.LocalNode;
import io.georep.protocol.membership.Membership;
import io.georep.spi.PeerSelection;

/** Which protocols a node runs; tests of the API run others. */
interface ProtocolSuite {
    /** The protocols of the product. */
    ProtocolSuite STANDARD = new ProtocolSuite() {
        @Override
        public MembershipProtocol membership(ProtocolConfig config, LocalNode self) {
            return new Membership(config, self);
        }

        @Override
        public HostedProtocol outbox(Peers peers, ProtocolConfig config, PeerSelection selection) {
            return new OutboxProtocol(config, peers, selection);
        }
    };

    /** The membership of a node. */
    MembershipProtocol membership(ProtocolConfig config, LocalNode self);

    /** What answers outbox commands, on channel 2. */
    HostedProtocol outbox(Peers peers, ProtocolConfig config, PeerSelection selection);
}
