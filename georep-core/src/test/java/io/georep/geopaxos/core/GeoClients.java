package io.georep.geopaxos.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.geopaxos.core.messages.GeoGroups;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Closed loops: each client has one operation at a time, repeats it at other nodes if it waits for long, and sometimes gives up. */
final class GeoClients {
    private final class Client {
        final long id;
        long sequence;
        long acked;
        Slice body;
        boolean isRead;

        /** A write without a number. */
        boolean isLone;

        long token;
        int tries;

        Client(long id) {
            this.id = id;
        }
    }

    private record Asked(
            Client client, long sequence, Slice body, GeoJudge<LeafService>.OpenRead read, boolean isLone, long at) {}

    private final GeoCluster cluster;
    private final Random random;
    private final Map<Long, Asked> asked = new TreeMap<>();
    private final List<Client> clients = new ArrayList<>();
    private final Client prober = new Client(0);

    /** Results of writes without numbers: each is executed once, however often its contact asks. */
    private final Map<Slice, Slice> lone = new HashMap<>();

    private long tokens;
    private long tags;
    private final int reads;
    private final int keys;
    private final int splits;
    private boolean rests;
    long answers;
    long gaveUp;

    GeoClients(GeoCluster cluster, long seed) {
        this.cluster = cluster;
        random = new Random(seed);
        reads = random.nextInt(80);
        splits = 1 + random.nextInt(4);
        keys = 4 << random.nextInt(4);
        cluster.judge.onFirst = (body, result) -> {
            if (lone.containsKey(body)) {
                assertThat(lone.put(body, result))
                        .as("executed again: %s", body)
                        .isNull();
            }
        };
        cluster.judge.onLost = body -> {
            if (lone.containsKey(body)) {
                lone.put(body, null);
            }
        };
    }

    void begin(int count) {
        for (int i = 1; i <= count; i++) {
            Client client = new Client(i);
            clients.add(client);
            later(() -> start(client), 1000);
        }
        if (random.nextBoolean()) {
            probe();
        }
    }

    /** Reads where somebody believes to have a lease, now and then elsewhere, and waits for nothing. */
    private void probe() {
        GeoMember contact = cluster.any(random);
        if (contact.runs() && (contact.isLeased() || random.nextInt(3) == 0)) {
            read(contact, random.nextBoolean() ? List.of(key(), key()) : List.of(key()));
        }
        if (!rests) {
            later(this::probe, 100);
        }
    }

    private void read(GeoMember contact, List<Integer> keys) {
        Slice body = LeafService.use(++tags, keys, List.of());
        long token = ++tokens;
        asked.put(token, new Asked(prober, 0, body, cluster.judge.asks(body), false, cluster.now));
        contact.turn(() -> contact.node.read(token, body, contact.now()));
    }

    /** Reads a key at one node, while another one writes it. */
    void look(int key, GeoMember reader, GeoMember writer) {
        if (reader.runs()) {
            read(reader, List.of(key));
        }
        if (writer.runs()) {
            Slice body = LeafService.use(++tags, List.of(), List.of(key));
            lone.put(body, null);
            long token = ++tokens;
            asked.put(token, new Asked(prober, 0, body, null, true, cluster.now));
            writer.turn(() -> writer.node.submit(token, 0, 0, 0, body, writer.now()));
        }
    }

    void rest() {
        rests = true;
    }

    /** Those that still wait. */
    long waiting() {
        return clients.stream().filter(each -> each.body != null).count();
    }

    private void later(Runnable action, int most) {
        cluster.at(cluster.now + (1 + random.nextInt(most)) * GeoCluster.MILLI, action);
    }

    private int key() {
        return random.nextInt(keys) * (LeafService.KEYS / keys);
    }

    private List<Integer> some(int most) {
        List<Integer> some = new ArrayList<>();
        for (int left = random.nextInt(most + 1); left > 0; left--) {
            int key = key();
            if (!some.contains(key)) {
                some.add(key);
            }
        }
        return some;
    }

    private void start(Client client) {
        if (rests) {
            return;
        }
        client.isRead = random.nextInt(100) < reads;
        client.isLone = !client.isRead && random.nextInt(3) == 0;
        client.sequence++;
        client.acked = random.nextInt(10) == 0 ? client.sequence - 1 : client.acked;
        client.tries = 0;
        long tag = ++tags;
        int kind = random.nextInt(20);
        if (client.isRead) {
            client.body = kind == 0
                    ? LeafService.next(tag, key())
                    : LeafService.use(tag, random.nextInt(4) == 0 ? List.of(key(), key()) : List.of(key()), List.of());
        } else if (kind == 0) {
            client.body = LeafService.chase(tag, key());
        } else if (kind <= splits) {
            Slice merge = random.nextInt(3) == 0 ? cluster.judge.single().merge(tag, key()) : null;
            client.body = merge == null ? cluster.judge.single().split(tag, key()) : merge;
        } else {
            List<Integer> writes = new ArrayList<>(some(2));
            if (writes.isEmpty()) {
                writes.add(key());
            }
            client.body = LeafService.use(tag, some(2), writes);
        }
        if (client.isLone) {
            lone.put(client.body, null);
        }
        ask(client);
    }

    private void ask(Client client) {
        if (client.body == null) {
            return;
        }
        GeoMember contact = cluster.any(random);
        long token = ++tokens;
        client.token = token;
        client.tries++;
        Asked question = new Asked(
                client,
                client.sequence,
                client.body,
                client.isRead ? cluster.judge.asks(client.body) : null,
                client.isLone,
                cluster.now);
        asked.put(token, question);
        if (contact.runs()) {
            contact.turn(() -> {
                if (question.read != null) {
                    contact.node.read(token, question.body, contact.now());
                } else if (question.isLone) {
                    contact.node.submit(token, 0, 0, 0, question.body, contact.now());
                } else {
                    contact.node.submit(
                            token, client.id, question.sequence, client.acked, question.body, contact.now());
                }
            });
        }
        later(() -> overdue(client, token), random.nextInt(10) == 0 ? 50 : 4000);
    }

    private void overdue(Client client, long token) {
        if (client.body == null || client.token != token) {
            return;
        }
        if (client.isLone || (!rests && random.nextInt(6) == 0)) {
            givesUp(client);
        } else {
            ask(client);
        }
    }

    private void givesUp(Client client) {
        gaveUp++;
        client.body = null;
        later(() -> start(client), 300);
    }

    void answered(GeoMember member, long token, Slice result) {
        Asked question = asked.get(token);
        if (question == null) {
            return;
        }
        Client client = question.client;
        if (result == null) {
            if (question.sequence > client.acked && !question.isLone) {
                throw new AssertionError("forgotten: " + question.sequence + " of client " + client.id);
            }
            if (client.body != null && client.sequence == question.sequence) {
                givesUp(client);
            }
            return;
        }
        if (question.isLone) {
            Slice known = lone.get(question.body);
            boolean isGone = known == null
                    && cluster.judge.single().footprint(question.body).hasObjects();
            assertThat(isGone || result.equals(known))
                    .as("the answer to %s", question.body)
                    .isTrue();
        } else if (question.read == null) {
            cluster.judge.answered(member.id, question.body, client.id, question.sequence, result);
        } else {
            cluster.judge.leased += cluster.now == question.at ? 1 : 0;
            question.read.answered(member.id, result);
        }
        answers++;
        if (client.body != null && client.sequence == question.sequence) {
            client.body = null;
            later(() -> start(client), random.nextInt(4) == 0 ? 500 : 30);
        }
    }

    /** Somebody gives an object to other groups, as the node knows it, or believes to. */
    void move(GeoMember contact) {
        if (!contact.runs()) {
            return;
        }
        int all = GeoGroups.all(contact.node.groups());
        long object = contact.service.leafOf(key());
        int from = contact.node.groupsOf(object);
        int to = 1 + random.nextInt(all);
        contact.turn(() -> contact.node.move(0, new long[] {object}, from, to, contact.now()));
    }
}
