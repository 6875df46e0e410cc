package io.georep.spi;

import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Keeps what a transport told, in order, for tests to ask about; any thread. */
public class RecordingListener implements Transport.Listener {
    /** Something that was told. */
    public sealed interface Event {
        /** See {@link Transport.Listener#linkUp}. */
        record Up(NodeIdentity peer) implements Event {}

        /** See {@link Transport.Listener#linkDown}. */
        record Down(NodeId peer, String reason) implements Event {}

        /** See {@link Transport.Listener#frame}. */
        record Frame(NodeIdentity from, byte[] bytes, boolean urgent) implements Event {}

        /** See {@link Transport.Listener#lifeSign}. */
        record LifeSign(NodeIdentity from) implements Event {}

        /** See {@link Transport.Listener#writable}. */
        record Writable(NodeId peer, int lane, boolean writable) implements Event {}

        /** See {@link Transport.Listener#seedReached}. */
        record SeedReached(String seed) implements Event {}

        /** See {@link Transport.Listener#refused}. */
        record Refused(String address, String reason) implements Event {}

        /** See {@link Transport.Listener#linkOpened}. */
        record Opened(long link, NodeIdentity process) implements Event {}

        /** See {@link Transport.Listener#linkEnded}. */
        record Ended(long link, String reason) implements Event {}

        /** See {@link Transport.Listener#linkWritable}. */
        record LinkWritable(long link, boolean writable) implements Event {}

        /** See {@link Transport.Listener#strangerFrame}. */
        record StrangerFrame(NodeIdentity from, int channel, byte[] bytes) implements Event {}

        /** See {@link Transport.Listener#cameRound}. */
        record CameRound(long stamp) implements Event {}
    }

    private final Object monitor;
    private final List<Event> events = new ArrayList<>();

    /** The monitor is notified of every event. */
    public RecordingListener(Object monitor) {
        this.monitor = monitor;
    }

    private void add(Event event) {
        synchronized (monitor) {
            events.add(event);
            monitor.notifyAll();
        }
    }

    /** All events so far. */
    public List<Event> events() {
        synchronized (monitor) {
            return List.copyOf(events);
        }
    }

    /** The events of one kind so far. */
    public <E extends Event> List<E> events(Class<E> kind) {
        return events().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Whether an event of this kind that matches was told. */
    public <E extends Event> boolean has(Class<E> kind, Predicate<E> matching) {
        return events(kind).stream().anyMatch(matching);
    }

    /** How often the link to this peer came up. */
    public long ups(NodeId peer) {
        return events(Event.Up.class).stream()
                .filter(up -> up.peer().id().equals(peer))
                .count();
    }

    /** How often the link to this peer went down. */
    public long downs(NodeId peer) {
        return events(Event.Down.class).stream()
                .filter(down -> down.peer().equals(peer))
                .count();
    }

    /** Whether the link to this peer is up. */
    public boolean isUp(NodeId peer) {
        return ups(peer) > downs(peer);
    }

    /** The frames so far. */
    public List<byte[]> frames() {
        return events(Event.Frame.class).stream().map(Event.Frame::bytes).toList();
    }

    @Override
    public void linkUp(NodeIdentity peer) {
        add(new Event.Up(peer));
    }

    @Override
    public void linkDown(NodeId peer, String reason) {
        add(new Event.Down(peer, reason));
    }

    @Override
    public void frame(NodeIdentity from, byte[] frame, boolean urgent) {
        add(new Event.Frame(from, frame, urgent));
    }

    @Override
    public void lifeSign(NodeIdentity from) {
        add(new Event.LifeSign(from));
    }

    @Override
    public void writable(NodeId peer, int lane, boolean writable) {
        add(new Event.Writable(peer, lane, writable));
    }

    @Override
    public void seedReached(String seed) {
        add(new Event.SeedReached(seed));
    }

    @Override
    public void refused(String address, String reason) {
        add(new Event.Refused(address, reason));
    }

    @Override
    public void linkOpened(long link, NodeIdentity process) {
        add(new Event.Opened(link, process));
    }

    @Override
    public void linkEnded(long link, String reason) {
        add(new Event.Ended(link, reason));
    }

    @Override
    public void linkWritable(long link, boolean writable) {
        add(new Event.LinkWritable(link, writable));
    }

    @Override
    public void strangerFrame(NodeIdentity from, int channel, byte[] frame) {
        add(new Event.StrangerFrame(from, channel, frame));
    }

    @Override
    public void cameRound(long stamp) {
        add(new Event.CameRound(stamp));
    }
}
