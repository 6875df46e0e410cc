package io.georep.runtime;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.StoreException;
import io.georep.spi.EntryStore;
import io.georep.spi.Transport;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Queues what transport and store tell for the driver, from any thread. Of what peers send nothing is dropped: while too much
 * waits, reading is paused. Strangers have a bounded room of their own, above which their frames are dropped, so that they
 * pause nobody.
 */
final class DriverInbox implements Transport.Listener, EntryStore.Listener {
    /** What frames of strangers may take while they wait. */
    static final long STRANGERS_BYTES_MAX = 4L << 20;

    private static final long FRAME_BYTES_HIGH = 32L << 20;
    private static final long FRAME_BYTES_LOW = 8L << 20;

    private final HandOff<Object> queue;
    private final ReadingGate readingGate;
    private final Runnable strangersFrameDropped;
    private final AtomicLong strangersBytes = new AtomicLong();

    DriverInbox(HandOff<Object> queue, ReadingGate.Switch reading, Runnable strangersFrameDropped) {
        this.queue = queue;
        this.readingGate = new ReadingGate(FRAME_BYTES_HIGH, FRAME_BYTES_LOW, reading);
        this.strangersFrameDropped = strangersFrameDropped;
    }

    /** Driver: these inputs wait no longer. */
    void taken(List<Input> inputs) {
        long bytes = 0;
        for (Input input : inputs) {
            bytes += ReadingGate.costOf(input);
            if (input instanceof Input.StrangerFrame frame) {
                strangersBytes.addAndGet(-costOf(frame));
            }
        }
        readingGate.taken(bytes);
    }

    /** Driver: reading is paused whatever waits, or no longer. */
    void hold(boolean on) {
        readingGate.hold(on);
    }

    private static long costOf(Input.StrangerFrame frame) {
        return frame.bytes().length + ReadingGate.INPUT_OVERHEAD_BYTES;
    }

    @Override
    public void seedReached(String seed) {
        queue.offer(new Input.SeedReached(seed));
    }

    @Override
    public void linkUp(NodeIdentity peer) {
        queue.offer(new Input.LinkUp(peer));
    }

    @Override
    public void linkDown(NodeId peer, String reason) {
        queue.offer(new Input.LinkDown(peer, reason));
    }

    @Override
    public void frame(NodeIdentity from, byte[] frame, boolean urgent) {
        offerCounted(new Input.Frame(from, frame, urgent));
    }

    @Override
    public void lifeSign(NodeIdentity from) {
        offerCounted(new Input.LifeSign(from));
    }

    private void offerCounted(Input input) {
        queue.offer(input);
        readingGate.queued(ReadingGate.costOf(input));
    }

    @Override
    public void writable(NodeId peer, int lane, boolean writable) {
        queue.offer(new Input.Writable(peer, lane, writable));
    }

    @Override
    public void refused(String address, String reason) {
        queue.offer(new Input.Refused(address, reason));
    }

    @Override
    public void durable(long batchNumber) {
        queue.offer(new Input.Durable(batchNumber));
    }

    @Override
    public void scanned(long token, List<EntryStore.Pair> pairs, boolean more) {
        queue.offer(new Input.Scanned(token, pairs, more));
    }

    @Override
    public void full(boolean full) {
        queue.offer(new Input.StoreFull(full));
    }

    @Override
    public void failed(StoreException cause) {
        queue.offer(new Input.StoreFailed(cause));
    }

    @Override
    public void linkOpened(long link, NodeIdentity process) {
        queue.offer(new Input.LinkOpened(link, process));
    }

    @Override
    public void linkEnded(long link, String reason) {
        queue.offer(new Input.LinkEnded(link, reason));
    }

    @Override
    public void strangerFrame(NodeIdentity from, int channel, byte[] frame) {
        Input.StrangerFrame input = new Input.StrangerFrame(from, channel, frame);
        long cost = costOf(input);
        if (strangersBytes.addAndGet(cost) > STRANGERS_BYTES_MAX) {
            strangersBytes.addAndGet(-cost);
            strangersFrameDropped.run();
        } else {
            queue.offer(input);
        }
    }
}
