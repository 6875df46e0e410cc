package io.georep.simulation;

import io.georep.funnel.Topology;
import io.georep.linear.Operation.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Clients of a replicated map, each of which makes one call after the other at any node. */
final class FunnelClients {
    private static final int CLIENTS = 4;
    private static final int ATTEMPTS_MAX = 6;
    private static final int BURST_MAX = 20;

    /** So many calls without an outcome may concern one key: each of them may have happened at any time, or never. */
    private static final int DOUBTS_MAX = 20;

    /**
     * What clients do.
     *
     * @param keys how many keys there are
     * @param gapMax the longest time between two calls of a client, in nanoseconds
     * @param isLarge whether some values are large
     * @param mortal one value of so many has a time to live
     * @param bursts one call of so many is one of a burst
     * @param anew of 100 calls so many are about a key that nobody used before
     */
    record Load(int keys, long gapMax, boolean isLarge, int mortal, int bursts, int anew) {
        static Load draw(RandomGenerator random) {
            return new Load(
                    1 + random.nextInt(3),
                    20 * World.MILLIS + random.nextLong(600 * World.MILLIS),
                    random.nextInt(8) == 0,
                    random.nextInt(6) == 0 ? 2 : 8,
                    random.nextInt(3) == 0 ? 5 : 40,
                    0);
        }

        /** With pauses so many times as long. */
        Load slower(int times) {
            return new Load(keys, times * gapMax, isLarge, mortal, bursts, anew);
        }

        /** With keys that nobody used before. */
        Load anew(int percent) {
            return new Load(keys, gapMax, isLarge, mortal, bursts, percent);
        }
    }

    private final FunnelWing wing;
    private final Load load;
    private final RandomGenerator random;
    private final List<String> values = new ArrayList<>();
    private final Map<String, Integer> doubts = new HashMap<>();
    private boolean rests;

    FunnelClients(FunnelWing wing, Load load, RandomGenerator random) {
        this.wing = wing;
        this.load = load;
        this.random = random;
    }

    void begin() {
        for (int client = 1; client <= CLIENTS; client++) {
            new Client(client).plan();
        }
    }

    void rest() {
        rests = true;
    }

    private SimulatedNode any() {
        return wing.nodes().get(random.nextInt(wing.nodes().size()));
    }

    /** Does one thing after the other; repeats what has no outcome, if it has numbers for it. */
    private final class Client {
        private final String name;
        private long operations;

        /** Calls that are not over. */
        private int running;

        Client(int number) {
            name = "c" + number;
        }

        void plan() {
            wing.world().after(1 + random.nextLong(load.gapMax), () -> {
                if (!rests) {
                    begin();
                }
            });
        }

        /** Makes one call, or many at one node at one time. */
        private void begin() {
            running = random.nextInt(load.bursts) == 0 ? 2 + random.nextInt(BURST_MAX) : 1;
            SimulatedNode node = any();
            for (int left = running; left > 0; left--) {
                FunnelCall call = draw(key());
                if (call.kind != Kind.READ && random.nextInt(3) > 0) {
                    call.client = name;
                    call.operation = ++operations;
                }
                call.topology = Topology.values()[random.nextInt(Topology.values().length)];
                call.afterwards = () -> ended(call);
                attempt(call, node);
            }
        }

        private String key() {
            if (load.anew > 0 && random.nextInt(100) < load.anew) {
                return "new" + values.size();
            }
            String key = running > 1 && random.nextInt(4) > 0
                    ? "b" + random.nextInt(BURST_MAX)
                    : "k" + random.nextInt(load.keys);
            while (doubts.getOrDefault(key, 0) >= DOUBTS_MAX) {
                key += "'";
            }
            return key;
        }

        private void attempt(FunnelCall call, SimulatedNode node) {
            if (node.isListening() && !node.clock().isSuspended()) {
                wing.judge().attempt(call, node);
            } else {
                wing.world().after(100 * World.MILLIS, () -> again(call));
            }
        }

        private void again(FunnelCall call) {
            if (!rests) {
                attempt(call, any());
            }
        }

        private void ended(FunnelCall call) {
            boolean isRepeated =
                    !call.isOver && call.attempts < ATTEMPTS_MAX && (call.client != null || !call.isInDoubt);
            if (!call.isOver && call.isInDoubt) {
                doubts.merge(call.key, 1, Integer::sum);
            }
            if (isRepeated) {
                wing.world().after(1 + random.nextLong(400 * World.MILLIS), () -> again(call));
            } else if (--running == 0) {
                plan();
            }
        }

        private FunnelCall draw(String key) {
            int what = random.nextInt(20);
            if (what < 10) {
                return new FunnelCall(Kind.READ, key, null, null);
            } else if (what < 12) {
                return new FunnelCall(Kind.REMOVE, key, null, null);
            }
            String expected =
                    values.isEmpty() ? "none" : values.get(Math.max(0, values.size() - 1 - random.nextInt(4)));
            String value = "<" + values.size() + name + ">";
            values.add(value);
            if (what < 14) {
                return new FunnelCall(Kind.REPLACE, key, value, expected);
            }
            FunnelCall call = new FunnelCall(what < 16 ? Kind.PUT_IF_ABSENT : Kind.PUT, key, value, null);
            call.padding = load.isLarge && random.nextInt(4) == 0 ? random.nextInt(200_000) : random.nextInt(100);
            call.timeToLiveMillis = random.nextInt(load.mortal) == 0 ? 200 + random.nextInt(2_000) : 0;
            return call;
        }
    }
}
