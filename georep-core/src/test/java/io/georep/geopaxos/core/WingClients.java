package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.execution.Uses;
import io.georep.geopaxos.core.map.Guard;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.MapResult;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.messages.GeoCommand;
import io.georep.geopaxos.core.messages.GeoEvent;
import io.georep.linear.Operation;
import io.georep.model.Slice;
import io.georep.simulation.SimulatedNode;
import io.georep.simulation.World;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Clients of the ordered map of a {@link GeoWing}. Each has one operation at a time, which it repeats under the same number at other
 * nodes if it waits for long, or gives up. Somebody divides and joins leaves, and gives them to other groups.
 */
final class WingClients {
    private static final long SERVICING_GAP_MAX = World.SECONDS;
    private static final int HOT_MAX = 6;
    private static final int SLOWER_EVERY = 30;
    private static final int PLAIN_KEYS = 12;

    private static final class Client {
        final long id;
        long sequence;
        long acked;

        /** What it waits for; null if for nothing. */
        @Nullable
        Slice body;

        boolean isRead;
        long since;
        int asked;

        Client(long id) {
            this.id = id;
        }
    }

    /** What one node was asked. */
    private final class Asked {
        final Client client;
        final long sequence;
        final Slice body;
        final SimulatedNode node;
        final GeoJudge<OrderedMapService>.@Nullable OpenRead read;
        final long at = world.now();

        Asked(Client client, SimulatedNode node) {
            this.client = client;
            this.node = node;
            sequence = client.sequence;
            body = client.body;
            read = client.isRead ? wing.judge().asks(body) : null;
        }
    }

    private final GeoWing wing;
    private final World world;
    private final RandomGenerator random;
    private final List<Client> clients = new ArrayList<>();
    private final Set<Asked> open = new LinkedHashSet<>();

    /** Keys that were written last, or are being written. */
    private final ArrayDeque<Slice> hot = new ArrayDeque<>();

    /** Writes without numbers: each is asked for once, and whether it was executed. */
    private final Map<Slice, Boolean> unnumbered = new HashMap<>();

    private final KeyHistory history = new KeyHistory();
    private final Client prober = new Client(0);
    private final long gapMax;
    private final boolean probes;
    private final boolean isEager;
    private final long patience;
    private final int readPercent;
    private long servicings;
    private long values;
    private long answers;
    private long atOnce;
    private boolean rests;

    WingClients(GeoWing wing, RandomGenerator random, long gapMax, long patience, boolean isEager) {
        this.wing = wing;
        this.random = random;
        this.gapMax = gapMax;
        this.patience = patience;
        this.isEager = isEager;
        world = wing.world();
        readPercent = random.nextInt(80);
        probes = random.nextInt(3) > 0 && isEager;
    }

    long answers() {
        return answers;
    }

    /** Returns how many reads were answered without asking anybody. */
    long atOnce() {
        return atOnce;
    }

    KeyHistory history() {
        return history;
    }

    void begin() {
        for (int id = 1; id <= 3; id++) {
            Client client = new Client(id);
            clients.add(client);
            plan(client);
        }
        planServicing();
    }

    /** Something was written. Reads it where somebody believes to have a lease, and waits for nothing. */
    private void probe() {
        for (SimulatedNode node : wing.hosting()) {
            if (random.nextInt(3) > 0 && wing.serves(node) && wing.isLeased(node, wing.allGroups())) {
                List<Slice> keys = new ArrayList<>(hot);
                Collections.shuffle(keys, new Random(random.nextLong()));
                boolean isLook = keys.size() > 1 && random.nextBoolean();
                probe(
                        node,
                        isLook
                                ? Bank.look(keys.subList(0, 2))
                                : MapOperation.encode(new MapOperation.Get(hot.getFirst())));
            }
        }
        for (SimulatedNode node : wing.hosting()) {
            hot.forEach(key -> probeHome(node, MapOperation.encode(new MapOperation.Get(key))));
        }
    }

    private void probe(SimulatedNode node, Slice body) {
        prober.body = body;
        prober.isRead = true;
        send(prober, node);
        prober.body = null;
    }

    /** Reads one key, if a leader of its leaf is there, as that one believes. */
    private void probeHome(SimulatedNode node, Slice get) {
        if (wing.serves(node)) {
            GeoPaxos core = GeoWing.protocol(node).node();
            if (wing.isLeased(node, core.groupsOf(leaf(core, get)))) {
                probe(node, get);
            }
        }
    }

    private static long leaf(GeoPaxos core, Slice get) {
        return Uses.of(get, core.executor().service())
                .objects()
                .keySet()
                .iterator()
                .next();
    }

    private Slice heated(Slice key) {
        hot.addFirst(key);
        if (hot.size() > HOT_MAX) {
            hot.removeLast();
        }
        return key;
    }

    void rest() {
        rests = true;
    }

    /** Returns how many clients wait. */
    long waiting() {
        return clients.stream().filter(client -> client.body != null).count();
    }

    /** The longer it works the slower it is: some runs take hours. */
    private void plan(Client client) {
        world.after(1 + random.nextLong(gapMax * (1 + client.sequence / SLOWER_EVERY)), () -> {
            if (!rests) {
                client.sequence++;
                client.isRead = client.sequence > 1 && random.nextInt(100) < readPercent;
                client.acked = random.nextInt(10) == 0 ? client.sequence - 1 : client.acked;
                client.since = world.now();
                client.body = client.sequence == 1 ? Bank.open() : client.isRead ? read() : write();
                ask(client);
            }
        });
    }

    private int any() {
        return random.nextInt(Bank.ACCOUNTS);
    }

    private Slice key() {
        return switch (random.nextInt(4)) {
            case 0 -> Bank.account(any());
            case 1 -> Bank.inBlock(random.nextInt(Bank.BLOCKS), random.nextInt(Bank.BLOCK));
            default -> Bank.bytes("k" + random.nextInt(PLAIN_KEYS));
        };
    }

    private Slice read() {
        return switch (random.nextInt(8)) {
            case 0 -> Bank.audit();
            case 1 -> MapOperation.encode(MapOperation.Scan.next(key(), null));
            case 2 -> MapOperation.encode(new MapOperation.Count(Bank.account(any()), Bank.bytes("b")));
            case 3, 4 -> Bank.look(List.of(key(), key(), key()));
            default -> MapOperation.encode(new MapOperation.Get(key()));
        };
    }

    private Slice write() {
        int from = any();
        int what = random.nextInt(isEager ? 12 : 10);
        if (what < 5) {
            int to = (from + 1 + random.nextInt(Bank.ACCOUNTS - 1)) % Bank.ACCOUNTS;
            heated(Bank.account(from));
            heated(Bank.account(to));
            if (random.nextInt(12) == 0) {
                return Bank.fail(from, random.nextInt(Bank.FAILURES));
            }
            return Bank.transfer(from, to, random.nextInt(20));
        } else if (what >= 10) {
            int block = random.nextInt(Bank.BLOCKS);
            heated(Bank.inBlock(block, random.nextInt(Bank.BLOCK)));
            return Bank.fill(block, random.nextBoolean());
        }
        Slice key = heated(Bank.bytes("k" + random.nextInt(PLAIN_KEYS)));
        if (what == 5) {
            return MapOperation.encode(new MapOperation.Remove(key, Guard.NONE));
        }
        Guard guard = what == 6
                ? Guard.ABSENT
                : what == 7 ? Guard.equalTo(Bank.bytes("v" + Math.max(0, values - random.nextInt(6)))) : Guard.NONE;
        Slice value = Bank.bytes("v" + ++values);
        MapEntry entry = new MapEntry(key, value, 0);
        return MapOperation.encode(
                random.nextInt(3) > 0
                        ? new MapOperation.Put(entry, guard)
                        : new MapOperation.PutFor(entry, guard, 1 + random.nextInt(4_000)));
    }

    private void ask(Client client) {
        int number = ++client.asked;
        SimulatedNode node = wing.any(random);
        if (wing.serves(node)) {
            send(client, node);
        }
        long wait = random.nextInt(10) == 0 ? patience / 40 : patience;
        world.after(1 + random.nextLong(wait), () -> {
            if (client.body != null && client.asked == number) {
                overdue(client);
            }
        });
    }

    private void send(Client client, SimulatedNode node) {
        Asked asked = new Asked(client, node);
        open.add(asked);
        wing.command(
                node,
                client.isRead
                        ? new GeoCommand.Read(asked, asked.body)
                        : new GeoCommand.Submit(asked, client.id, asked.sequence, client.acked, asked.body));
    }

    private void overdue(Client client) {
        if (!rests && client.sequence > 1 && random.nextInt(8) == 0) {
            history.add(client.body, client.since, Operation.NEVER, null);
            client.body = null;
            client.asked++;
            plan(client);
        } else {
            ask(client);
        }
    }

    /** A node is back: some of those who wait ask it at once, in any order. */
    void started(SimulatedNode node) {
        List<Client> some = new ArrayList<>(clients);
        some.removeIf(client -> client.body == null || random.nextBoolean() || !wing.serves(node));
        Collections.shuffle(some, new Random(random.nextLong()));
        some.forEach(client -> send(client, node));
    }

    /** The process of a node is gone. */
    void stopped(SimulatedNode node) {
        List.copyOf(open).stream().filter(asked -> asked.node == node).forEach(this::ends);
    }

    private void ends(Asked asked) {
        open.remove(asked);
        if (asked.read != null) {
            asked.read.ends();
        }
    }

    void event(SimulatedNode node, GeoEvent event) {
        if (event instanceof GeoEvent.Answered answered && answered.token() instanceof WingClients.Asked asked) {
            answered(node, asked, answered.result());
        } else if (event instanceof GeoEvent.Refused refused && refused.token() instanceof WingClients.Asked asked) {
            ends(asked);
            boolean isOutside = refused.reason() == GeoEvent.Reason.NO_PART && wing.isOutside(node);
            if (refused.reason() == GeoEvent.Reason.UNLED || isOutside) {
                return; // it asks again
            }
            throw new AssertionError(node + " refuses " + asked.body + ": " + refused.why());
        }
    }

    private void answered(SimulatedNode node, Asked asked, @Nullable Slice result) {
        Client client = asked.client;
        assertThat(open.remove(asked))
                .as("the first answer to %d", asked.sequence)
                .isTrue();
        if (result == null) {
            assertThat(asked.sequence).as("a forgotten operation").isLessThanOrEqualTo(client.acked);
            return;
        }
        if (asked.read != null) {
            asked.read.answered(node.id(), result);
            atOnce += world.now() - asked.at < World.MILLIS ? 1 : 0;
            balance(asked.body, result);
            history.add(asked.body, asked.at, world.now(), result);
        } else {
            wing.judge().answered(node.id(), asked.body, client.id, asked.sequence, result);
            wing.look(hot);
            if (probes && !rests && !hot.isEmpty()) {
                probe();
            }
        }
        answers++;
        if (client.body != null && client.sequence == asked.sequence) {
            if (!client.isRead) {
                history.add(client.body, client.since, world.now(), result);
            }
            client.body = null;
            client.asked++;
            plan(client);
        }
    }

    /** Whatever was moved, all money is there. */
    private static void balance(Slice body, Slice result) {
        if (body.equals(Bank.audit()) && MapResult.decode(result) instanceof MapResult.Page page) {
            assertThat(page.entries().isEmpty() ? Bank.TOTAL : Bank.sum(page.entries()))
                    .as("the money of all accounts")
                    .isEqualTo(Bank.TOTAL);
        }
    }

    private void planServicing() {
        servicings++;
        world.after(1 + random.nextLong(SERVICING_GAP_MAX * (1 + servicings / SLOWER_EVERY)), () -> {
            SimulatedNode node = wing.any(random);
            if (!rests && wing.serves(node)) {
                service(node);
                askOnce(node);
            }
            if (!rests) {
                planServicing();
            }
        });
    }

    private void askOnce(SimulatedNode node) {
        MapEntry entry = new MapEntry(Bank.bytes("once"), Bank.bytes("once " + servicings), 0);
        Slice body = MapOperation.encode(new MapOperation.Put(entry, Guard.NONE));
        unnumbered.put(body, false);
        keep(node, "once", body);
    }

    /** Something was executed first anywhere. What nobody repeats takes effect once at the most, though nodes lose their states. */
    void executed(Slice body) {
        assertThat(unnumbered.replace(body, true))
                .as("a write without a number takes effect again: %s", body)
                .isNotEqualTo(true);
    }

    private void service(SimulatedNode node) {
        GeoPaxos core = GeoWing.protocol(node).node();
        OrderedMapService map = (OrderedMapService) core.executor().service();
        switch (random.nextInt(4)) {
            case 0, 1, 2 -> {
                long leaf = leaf(core, MapOperation.encode(new MapOperation.Get(key())));
                int to = 1 + random.nextInt(wing.allGroups());
                wing.command(node, new GeoCommand.Give("give", new long[] {leaf}, core.groupsOf(leaf), to));
            }
            default -> map.upkeep(2, (born, from) -> {}).forEach(each -> keep(node, "upkeep", each));
        }
    }

    /** The maps are looked after. */
    void keep(SimulatedNode node, Object token, Slice operation) {
        wing.command(node, new GeoCommand.Submit(token, operation));
    }
}
