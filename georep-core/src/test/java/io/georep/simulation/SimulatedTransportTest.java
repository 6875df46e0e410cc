package io.georep.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.spi.Transport;
import io.georep.spi.TransportContract;
import java.util.Collection;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The simulated transport keeps what every transport promises, in simulated time. */
class SimulatedTransportTest extends TransportContract {
    private static final long PATIENCE = 60 * World.SECONDS;

    private final World world = new World(1);
    private final SimulatedNetwork network = new SimulatedNetwork(world, SimulatedNetwork.Settings.defaults());
    private int addresses;

    @Override
    protected Transport newTransport() {
        return new Bound();
    }

    @Override
    protected void await(String what, BooleanSupplier condition) {
        assertThat(world.runUntil(condition, PATIENCE)).as("in time: " + what).isTrue();
    }

    /** Chooses its address when it starts, if it may. */
    private final class Bound implements Transport {
        private Transport transport;

        @Override
        public String start(NodeIdentity self, Listener listener) {
            String address = self.address().endsWith(":0") ? "host" + ++addresses + ":1" : self.address();
            transport = network.transport(address);
            return transport.start(self.withAddress(address), listener);
        }

        @Override
        public void targets(Map<NodeId, String> peers, Collection<String> seeds) {
            transport.targets(peers, seeds);
        }

        @Override
        public void send(Outgoing frame) {
            transport.send(frame);
        }

        @Override
        public boolean opensLinks() {
            return transport.opensLinks();
        }

        @Override
        public void openLink(long link, int channel, String address) {
            transport.openLink(link, channel, address);
        }

        @Override
        public void closeLink(long link) {
            transport.closeLink(link);
        }

        @Override
        public void sendOver(long link, byte[] frame) {
            transport.sendOver(link, frame);
        }

        @Override
        public void refuse(NodeIdentity peer, String reason) {
            transport.refuse(peer, reason);
        }

        @Override
        public void close() {
            transport.close();
        }
    }
}
