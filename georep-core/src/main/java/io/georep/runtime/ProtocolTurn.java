package io.georep.runtime;

import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.Slice;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import io.georep.spi.StoreBatch;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The turn of a {@link NodeLoop} as one protocol sees it: its messages, keys and events are on its own channel. */
class ProtocolTurn implements Turn {
    final NodeLoop loop;
    private final int channel;
    private final Durability durability;

    ProtocolTurn(NodeLoop loop, HostedProtocol<?> protocol) {
        this.loop = loop;
        this.channel = protocol.channel();
        this.durability = protocol.durability();
    }

    @Override
    public long now() {
        return loop.now();
    }

    @Override
    public long wallMillis() {
        return loop.wallMillis();
    }

    @Override
    public RandomGenerator random() {
        return loop.random();
    }

    @Override
    public StoreBatch store() {
        return loop.store().within(channel, durability);
    }

    @Override
    public int storeBacklog() {
        return loop.storeBacklog();
    }

    @Override
    public void send(Peer to, int type, Slice body, boolean urgent) {
        loop.send(to, new FrameAssembler.Message(channel, type, body), urgent);
    }

    @Override
    public void sendWhenWritten(Peer to, int type, Slice body, boolean urgent) {
        loop.sendWhenWritten(to, new FrameAssembler.Message(channel, type, body), urgent);
    }

    @Override
    public void whenWritten(Later action) {
        loop.whenWritten(new StoreTraffic.Action(this, action));
    }

    @Override
    public void notify(Object event) {
        loop.notify(new ProtocolEvent(channel, event));
    }

    @Override
    public void notifyWhenWritten(Object event) {
        loop.notifyWhenWritten(new ProtocolEvent(channel, event));
    }

    @Override
    public void read(byte[] from, byte[] to, int pairsMax, long bytesMax, Scanned answer) {
        checkOwn(from);
        checkOwn(to);
        loop.read(
                from,
                to,
                Math.min(pairsMax, READ_PAIRS_MAX),
                Math.min(bytesMax, READ_BYTES_MAX),
                new StoreTraffic.Read(this, answer));
    }

    private void checkOwn(byte[] key) {
        if (key.length == 0 || (key[0] & 0xff) != channel) {
            throw new IllegalArgumentException("a key to be read begins with "
                    + (key.length == 0 ? "nothing" : String.valueOf(key[0] & 0xff))
                    + ", but keys of this protocol begin with " + channel + ", its channel");
        }
    }

    @Override
    public @Nullable Peer ensurePeer(NodeId id, @Nullable NodeId teller) {
        return loop.ensurePeer(id, teller);
    }
}
