package io.georep.simulation;

import io.georep.keys.KeyBatch;
import io.georep.keys.KeySpaceSettings;
import io.georep.keys.core.KeyAudit;
import io.georep.keys.core.KeyCommand;
import io.georep.keys.core.KeyProtocol;
import io.georep.protocol.HostedProtocol;
import io.georep.protocol.membership.Membership;
import io.georep.runtime.Input;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Key spaces: clients at every node write, delete and read a few keys; a {@link KeyJudge} watches. */
final class KeyWing implements Wing {
    static final String SPACE = "offsets";

    private final Machines machines;
    private final World world;
    private final KeySpaceSettings settings;
    private final KeyJudge judge;
    private Load load = new Load(0, 0, 1, 0);
    private RandomGenerator random;
    private boolean begun;
    private boolean rests;
    private long written;
    private long marksEndNanos;

    /**
     * What clients do.
     *
     * @param keys how many keys there are
     * @param fMax the most copies that writes ask for
     * @param gapMax the longest time between two calls at a node, in nanoseconds
     * @param anew of 100 calls so many are about a key that nobody used before
     */
    record Load(int keys, int fMax, long gapMax, int anew) {
        static Load draw(RandomGenerator random, int nodes) {
            int keys = 1 + random.nextInt(12);
            int fMax = random.nextInt(Math.min(3, nodes));
            return new Load(keys, fMax, 50 * World.MILLIS + random.nextLong(2 * World.SECONDS), 0);
        }

        /** With keys that nobody used before. */
        Load anew(int percent) {
            return new Load(keys, fMax, gapMax, percent);
        }
    }

    KeyWing(Machines machines, KeySpaceSettings settings) {
        this.machines = machines;
        this.settings = settings;
        world = machines.world();
        judge = new KeyJudge(machines, settings);
    }

    /** Times that fit a run of minutes. */
    static KeySpaceSettings quick() {
        return KeySpaceSettings.defaults().times(Duration.ofSeconds(4), Duration.ofMillis(100), Duration.ofSeconds(2));
    }

    /** What clients do once they begin. */
    KeyWing load(Load other, RandomGenerator source) {
        load = other;
        random = source;
        return this;
    }

    /** In the end no deletion is marked any more, once so much time has passed; 0 where that is not looked at. */
    KeyWing withoutMarks(long afterNanos) {
        marksEndNanos = afterNanos;
        return this;
    }

    static KeyProtocol protocol(SimulatedNode node) {
        return Machines.protocol(node, KeyProtocol.class);
    }

    KeyJudge judge() {
        return judge;
    }

    @Override
    public String name() {
        return "keys";
    }

    @Override
    public List<? extends HostedProtocol<?>> install(NodeSoftware.Boot boot, Membership membership) {
        return List.of(new KeyProtocol(settings, membership));
    }

    @Override
    public void started(SimulatedNode node) {
        judge.booted(node);
    }

    @Override
    public void turning(SimulatedNode node, List<Input> inputs) {
        judge.turning(node, inputs);
    }

    @Override
    public void turned(SimulatedNode node) {
        judge.turned(node);
    }

    @Override
    public void events(SimulatedNode node, List<Object> events) {
        events.forEach(event -> judge.event(node, event));
    }

    @Override
    public void stopped(SimulatedNode node) {
        judge.stopped(node);
    }

    @Override
    public void destroyed(SimulatedNode node, SimulatedDisk.@Nullable Image image) {
        judge.destroyed(node);
    }

    @Override
    public void begin() {
        begun = true;
        machines.nodes().forEach(this::planWork);
    }

    @Override
    public void joins(SimulatedNode node) {
        if (begun) {
            planWork(node);
        }
    }

    @Override
    public void rest() {
        rests = true;
    }

    private void planWork(SimulatedNode node) {
        world.after(1 + random.nextLong(load.gapMax), () -> {
            if (!rests) {
                if (node.isListening()) {
                    work(node);
                }
                planWork(node);
            }
        });
    }

    private String key() {
        return load.anew > 0 && random.nextInt(100) < load.anew ? "new" + written : "k" + random.nextInt(load.keys);
    }

    private void work(SimulatedNode node) {
        String key = key();
        if (random.nextInt(3) == 0) {
            judge.read(node, key);
            return;
        }
        int f = random.nextInt(load.fMax + 1);
        int changes = random.nextInt(4) == 0 ? 2 + random.nextInt(3) : 1;
        String[] keysAndValues = new String[2 * changes];
        for (int i = 0; i < changes; i++) {
            keysAndValues[2 * i] = i == 0 ? key : key();
            keysAndValues[2 * i + 1] = random.nextInt(3) == 0 ? null : "v" + written++;
        }
        write(node, f, keysAndValues);
    }

    /** Sets keys, or deletes those whose value is null. */
    KeyJudge.Write write(SimulatedNode node, int f, String... keysAndValues) {
        KeyBatch batch = new KeyBatch();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            byte[] key = keysAndValues[i].getBytes();
            if (keysAndValues[i + 1] == null) {
                batch.delete(key);
            } else {
                batch.put(key, keysAndValues[i + 1].getBytes());
            }
        }
        KeyJudge.Write write = judge.write(node, f, batch);
        node.command(KeyProtocol.CHANNEL, new KeyCommand.Write(new KeyCommand.Space(SPACE, true), f, batch, write));
        return write;
    }

    @Override
    public long successes() {
        return judge.successes();
    }

    @Override
    public @Nullable String unsettled() {
        return judge.unsettled();
    }

    @Override
    public void settled() {
        judge.settled();
        if (marksEndNanos > 0) {
            // A node looks for marks whose time is over each so often only, and the last deletion may be of this
            // moment.
            world.run(marksEndNanos + 2 * settings.spreadEvery().toNanos());
            // Nodes drop a mark at about the same moment only: the judge does not look in the middle of that.
            world.runUntil(() -> judge.unsettled() == null, 3 * World.SECONDS);
            judge.settled();
            judge.withoutMarks();
        }
    }

    // --- in stories

    /** Machines of a story about key spaces, which do not run. */
    static SimulatedCluster cluster(int nodes, KeySpaceSettings settings) {
        return new SimulatedCluster(SimulationOptions.scenario(nodes, cluster -> new KeyWing(cluster, settings)));
    }

    /** Sets keys at a node, or deletes those whose value is null. */
    KeyJudge.Write write(int node, int f, String... keysAndValues) {
        return write(machines.nodes().get(node - 1), f, keysAndValues);
    }

    /** Writes and waits for the answer. */
    KeyJudge.Write writeNow(int node, int f, String... keysAndValues) {
        KeyJudge.Write write = write(node, f, keysAndValues);
        world.runUntil(() -> write.answer != KeyJudge.Answer.OPEN, 20 * World.SECONDS);
        return write;
    }

    /** What a node has in memory, null when nothing. */
    @Nullable
    String value(int node, String key) {
        KeyAudit.Seen seen = KeyAudit.record(protocol(machines.nodes().get(node - 1)), SPACE, key);
        return seen == null ? null : seen.value();
    }

    @Override
    public String toString() {
        return judge.toString();
    }
}
