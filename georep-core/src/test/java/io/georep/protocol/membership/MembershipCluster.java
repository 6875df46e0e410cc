package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.model.NodeId;
import io.georep.model.NodeIdentity;
import io.georep.model.PeerState;
import io.georep.model.ProtocolConfig;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.runtime.Input;
import io.georep.runtime.NodeLoop;
import io.georep.runtime.ProtocolEvent;
import io.georep.runtime.StoreWatch;
import io.georep.spi.EntryStore;
import io.georep.spi.StoreBatch;
import io.georep.spi.Ticker;
import io.georep.spi.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Stream;

/**
 * Several memberships, each in a real node loop, over a network and disks that follow one seed. A link is made by dialling
 * an address and lasts until one end dies; a blocked route swallows frames silently, in one direction.
 */
final class MembershipCluster {
    private static final long STORE_NANOS = 1_000_000;
    private static final long EVENTS_MAX = 500_000;
    private static final long REDIAL_NANOS = 1_000_000_000L;
    private static final Set<Integer> LISTS =
            Set.of(MembershipMessages.PEERS, MembershipMessages.WELCOME, MembershipMessages.DIGESTS);

    final TreeMap<String, Process> processes = new TreeMap<>();
    final TreeSet<String> blocked = new TreeSet<>();
    final List<String> trace = new ArrayList<>();
    int listFrames;

    /** Whether nothing is sent to those who are given up, one of the readings of a life sign in the paper. */
    boolean isSilentToTerminated;

    /** Bytes of all frames sent, and of their messages about lists. */
    long frameBytes;

    long listBytes;
    long turns;
    boolean tracing = true;
    long eventsMax = EVENTS_MAX;

    /** How often an address is dialled to which there is a link, and to which there is none. */
    long redialLinkedNanos = REDIAL_NANOS;

    long redialNanos = REDIAL_NANOS;

    long nowNanos = -7_000_000_000L;

    private final RandomGenerator random;
    private final ProtocolConfig config;
    private final PriorityQueue<Event> queue =
            new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));
    private long eventCount;

    private record Event(long atNanos, long order, Runnable action) {}

    MembershipCluster(long seed, ProtocolConfig config) {
        random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        this.config = config;
    }

    /** A durable directory: survives its process, can be copied. */
    static final class Disk {
        final TreeMap<byte[], Slice> pairs = new TreeMap<>(Arrays::compareUnsigned);

        Disk copy() {
            Disk copy = new Disk();
            copy.pairs.putAll(pairs);
            return copy;
        }
    }

    /** Starts a process at an address. */
    Process start(String id, String address, Disk disk, String... seeds) {
        Process process = new Process(NodeId.of(id), address, disk, List.of(seeds));
        processes.put(address, process);
        process.loop.boot();
        process.wake();
        return process;
    }

    void run(Duration time) {
        long end = nowNanos + time.toNanos();
        long last = eventCount + eventsMax;
        while (!queue.isEmpty() && queue.peek().atNanos <= end) {
            if (eventCount > last) {
                throw new AssertionError("the cluster does not come to rest: " + eventsMax + " events in " + time);
            }
            Event event = queue.remove();
            nowNanos = event.atNanos;
            event.action.run();
        }
        nowNanos = end;
    }

    private void at(long delayNanos, Runnable action) {
        queue.add(new Event(nowNanos + delayNanos, eventCount++, action));
    }

    private long travelNanos() {
        return 1_000_000L + random.nextLong(100_000_000L);
    }

    void block(Process from, Process to) {
        blocked.add(from.address + ">" + to.address);
    }

    void blockBoth(Process a, Process b) {
        block(a, b);
        block(b, a);
    }

    private boolean open(Process from, Process to) {
        return !blocked.contains(from.address + ">" + to.address);
    }

    /** One running node; its disk outlives it. */
    final class Process implements Transport, EntryStore, Ticker {
        final NodeId id;
        final String address;
        final Disk disk;
        final Membership membership;
        final NodeLoop loop;
        final List<Object> events = new ArrayList<>();
        boolean alive = true;

        private final Map<NodeId, Link> links = new LinkedHashMap<>();
        private final Set<Long> refused = new HashSet<>();
        private Set<String> addresses = new HashSet<>();
        private long submitted;
        private long wakeAtNanos = Long.MAX_VALUE;

        /** An outgoing link; frames arrive in order. */
        private final class Link {
            final Process to;
            final NodeIdentity from = membership.self();
            long lastArrivalNanos;
            boolean up = true;

            Link(Process to) {
                this.to = to;
            }
        }

        Process(NodeId id, String address, Disk disk, List<String> seeds) {
            this.id = id;
            this.address = address;
            this.disk = disk;
            membership = new Membership(config, new LocalNode(id, address, "", seeds));
            loop = new NodeLoop(
                    this,
                    StoreWatch.Limits.of(ProtocolConfig.defaults()),
                    this,
                    this,
                    random,
                    membership,
                    List.of(),
                    told -> told.forEach(
                            event -> events.add(event instanceof ProtocolEvent one ? one.event() : event)));
        }

        Peer peer(String name) {
            return membership.find(NodeId.of(name));
        }

        void command(MembershipCommand command) {
            turn(new Input.Command(MembershipProtocol.CHANNEL, command));
        }

        /** Dies at once; batches under way are lost. */
        void crash() {
            alive = false;
            processes.remove(address, this);
            for (Process other : List.copyOf(processes.values())) {
                other.lost(this);
            }
        }

        private void lost(Process peer) {
            Link link = links.get(peer.id);
            if (link != null && link.to == peer) {
                link.up = false;
                drop(peer.id, "connection reset");
            }
        }

        private void drop(NodeId peer, String reason) {
            Link link = links.remove(peer);
            if (link != null) {
                dialOnce(link.to.address, REDIAL_NANOS);
                at(1, () -> turn(new Input.LinkDown(peer, reason)));
            }
        }

        private void turn(Input input) {
            if (alive) {
                if (tracing) {
                    trace.add(nowNanos + " " + address + " " + input.getClass().getSimpleName());
                }
                turns++;
                loop.turn(List.of(input));
                schedule();
            }
        }

        private void wake() {
            wakeAtNanos = Long.MAX_VALUE;
            if (alive) {
                turns++;
                loop.turn(List.of());
                schedule();
            }
        }

        private void schedule() {
            long next = loop.nextDeadlineNanos();
            if (next < wakeAtNanos) {
                long due = Math.max(next, nowNanos);
                wakeAtNanos = due;
                at(due - nowNanos, () -> {
                    if (wakeAtNanos == due) {
                        wake();
                    }
                });
            }
        }

        @Override
        public void targets(Map<NodeId, String> newPeers, Collection<String> seeds) {
            for (Map.Entry<NodeId, Link> link : List.copyOf(links.entrySet())) {
                if (!link.getValue().to.address.equals(newPeers.get(link.getKey()))) {
                    drop(link.getKey(), "no longer a target");
                }
            }
            Set<String> before = addresses;
            addresses = new HashSet<>(newPeers.values());
            addresses.addAll(seeds);
            Stream.concat(newPeers.values().stream(), seeds.stream())
                    .filter(target -> !before.contains(target))
                    .distinct()
                    .forEach(this::dial);
        }

        private void dial(String target) {
            at(travelNanos(), () -> {
                if (alive && addresses.contains(target)) {
                    boolean linked = connect(target);
                    at(linked ? redialLinkedNanos : redialNanos, () -> dial(target));
                }
            });
        }

        /** A link broke: where addresses are dialled seldom, this one is dialled soon all the same. */
        private void dialOnce(String target, long afterNanos) {
            if (redialLinkedNanos > REDIAL_NANOS) {
                at(afterNanos + travelNanos(), () -> {
                    if (alive && addresses.contains(target)) {
                        connect(target);
                    }
                });
            }
        }

        /** Makes a link if there is none and nobody refuses it; returns whether there was one. */
        private boolean connect(String target) {
            Process to = processes.get(target);
            boolean linked = to != null && links.containsKey(to.id);
            if (to != null && !linked && to.refused.contains(membership.self().nonce())) {
                turn(new Input.Refused(target, "refused by " + to.id));
            } else if (to != null
                    && !linked
                    && !refused.contains(to.membership.self().nonce())) {
                links.put(to.id, new Link(to));
                turn(new Input.LinkUp(to.membership.self()));
            }
            return linked;
        }

        @Override
        public void send(Outgoing outgoing) {
            byte[] frame = outgoing.frame();
            Link link = links.get(outgoing.peer());
            if (link == null || isSilentTo(membership.find(outgoing.peer()))) {
                return;
            }
            count(frame);
            link.lastArrivalNanos = Math.max(link.lastArrivalNanos, nowNanos + travelNanos());
            at(link.lastArrivalNanos - nowNanos, () -> {
                if (link.up && link.to.alive && open(this, link.to)) {
                    link.to.turn(new Input.Frame(link.from, frame));
                }
            });
        }

        private boolean isSilentTo(Peer peer) {
            return isSilentToTerminated && peer != null && peer.state() == PeerState.TERMINATED;
        }

        private void count(byte[] frame) {
            BinReader in = new BinReader(Slice.of(frame));
            FrameHeader.read(in);
            frameBytes += frame.length;
            while (in.hasMore()) {
                in.u8();
                int type = in.u8();
                int length = in.bytes().length();
                listFrames += type == MembershipMessages.PEERS ? 1 : 0;
                listBytes += LISTS.contains(type) ? length : 0;
            }
        }

        @Override
        public void refuse(NodeIdentity peer, String reason) {
            refused.add(peer.nonce());
            Link out = links.get(peer.id());
            if (out != null && out.to.membership.self().nonce() == peer.nonce()) {
                drop(peer.id(), reason);
            }
            for (Process other : List.copyOf(processes.values())) {
                if (other.membership.self().nonce() == peer.nonce()) {
                    other.drop(id, reason);
                    other.turn(new Input.Refused(address, reason));
                }
            }
        }

        @Override
        public void submit(StoreBatch batch) {
            long number = ++submitted;
            at(STORE_NANOS, () -> {
                if (alive) {
                    for (StoreBatch.Op op : batch.ops()) {
                        if (op.kind() == StoreBatch.Kind.PUT) {
                            disk.pairs.put(op.key(), op.value());
                        } else {
                            disk.pairs.remove(op.key());
                        }
                    }
                    turn(new Input.Durable(number));
                }
            });
        }

        @Override
        public void scanNow(byte[] from, byte[] to, Visitor visitor) {
            disk.pairs.subMap(from, to).forEach(visitor::pair);
        }

        @Override
        public long nanos() {
            return nowNanos;
        }

        @Override
        public long wallMillis() {
            return 1_700_000_000_000L + nowNanos / 1_000_000;
        }

        @Override
        public String start(NodeIdentity self, Transport.Listener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void start(EntryStore.Listener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void scan(long token, byte[] from, byte[] to, int pairsMax, long bytesMax) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
