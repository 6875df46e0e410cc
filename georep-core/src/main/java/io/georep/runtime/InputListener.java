package io.georep.runtime;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import io.georep.spi.Transport;
import java.util.List;
import java.util.function.Consumer;

/** Turns everything that a transport and a store report into inputs. Thread-safe if the taker of the inputs is. */
public final class InputListener implements Transport.Listener, EntryStore.Listener {
    private final Consumer<Input> inputs;

    /** Takes the inputs. */
    public InputListener(Consumer<Input> inputs) {
        this.inputs = inputs;
    }

    @Override
    public void seedReached(String seed) {
        inputs.accept(new Input.SeedReached(seed));
    }

    @Override
    public void linkUp(NodeIdentity peer) {
        inputs.accept(new Input.LinkUp(peer));
    }

    @Override
    public void linkDown(NodeId peer, String reason) {
        inputs.accept(new Input.LinkDown(peer, reason));
    }

    @Override
    public void frame(NodeIdentity from, byte[] frame, boolean urgent) {
        inputs.accept(new Input.Frame(from, frame, urgent));
    }

    @Override
    public void lifeSign(NodeIdentity from) {
        inputs.accept(new Input.LifeSign(from));
    }

    @Override
    public void writable(NodeId peer, int lane, boolean writable) {
        inputs.accept(new Input.Writable(peer, lane, writable));
    }

    @Override
    public void refused(String address, String reason) {
        inputs.accept(new Input.Refused(address, reason));
    }

    @Override
    public void cameRound(long stamp) {
        inputs.accept(new Input.CameRound(stamp));
    }

    @Override
    public void durable(long batchNumber) {
        inputs.accept(new Input.Durable(batchNumber));
    }

    @Override
    public void scanned(long token, List<EntryStore.Pair> pairs, boolean more) {
        inputs.accept(new Input.Scanned(token, pairs, more));
    }

    @Override
    public void full(boolean full) {
        inputs.accept(new Input.StoreFull(full));
    }

    @Override
    public void failed(StoreException cause) {
        inputs.accept(new Input.StoreFailed(cause));
    }

    @Override
    public void linkOpened(long link, NodeIdentity process) {
        inputs.accept(new Input.LinkOpened(link, process));
    }

    @Override
    public void linkEnded(long link, String reason) {
        inputs.accept(new Input.LinkEnded(link, reason));
    }

    @Override
    public void linkWritable(long link, boolean writable) {
        inputs.accept(new Input.LinkWritable(link, writable));
    }

    @Override
    public void strangerFrame(NodeIdentity from, int channel, byte[] frame) {
        inputs.accept(new Input.StrangerFrame(from, channel, frame));
    }
}
