package io.georep.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What accidents may do, judged over many seeds on nodes that are nothing but a record of it. */
class AccidentsTest {
    private static final int SEEDS = 300;

    /** Keeps what happened and checks that it is allowed. */
    private static final class Judge implements Testbed {
        final int nodes;
        final int f;
        final List<String> events = new ArrayList<>();
        final Set<Integer> down = new TreeSet<>();
        final Set<Integer> frozen = new TreeSet<>();
        final Set<Integer> full = new TreeSet<>();
        final Set<Integer> images = new TreeSet<>();
        final Set<Integer> lost = new TreeSet<>();
        final Set<Integer> downWhileLosing = new TreeSet<>();
        final Set<AccidentKind> impossible = EnumSet.noneOf(AccidentKind.class);
        final Set<Integer> hung = new TreeSet<>();
        boolean held;
        boolean hurried;
        boolean blocked;
        int lostMost;

        Judge(int nodes, int f) {
            this.nodes = nodes;
            this.f = f;
        }

        void atRest() {
            assertThat(down).isEmpty();
            assertThat(frozen).isEmpty();
            assertThat(full).isEmpty();
            assertThat(hung).isEmpty();
            assertThat(held).isFalse();
            assertThat(hurried).isFalse();
            assertThat(blocked).isFalse();
        }

        private void lose(int node, String how) {
            assertThat(down).as("who loses files does not run").contains(node);
            lost.add(node);
            downWhileLosing.addAll(down);
            assertThat(downWhileLosing).as("down or without files at a time").hasSizeLessThanOrEqualTo(f);
            lostMost = Math.max(lostMost, lost.size());
            events.add(how);
        }

        @Override
        public int nodes() {
            return nodes;
        }

        @Override
        public String name(int node) {
            return DemoOptions.nodeName(node);
        }

        @Override
        public String obstacle(AccidentKind kind) {
            return impossible.contains(kind) ? "it is not possible" : "";
        }

        @Override
        public void kill(int node) {
            assertThat(down.add(node)).isTrue();
            events.add("kill");
        }

        @Override
        public void restart(int node) {
            assertThat(down.remove(node)).isTrue();
        }

        @Override
        public void freeze(int node) {
            frozen.add(node);
            events.add("freeze");
        }

        @Override
        public void thaw(int node) {
            frozen.remove(node);
        }

        @Override
        public boolean hasImage(int node) {
            return images.contains(node);
        }

        @Override
        public void takeImage(int node) {
            assertThat(down).contains(node);
            images.add(node);
        }

        @Override
        public void putImageBack(int node) {
            assertThat(images).contains(node);
            lose(node, "old");
        }

        @Override
        public void empty(int node) {
            lose(node, "empty");
        }

        @Override
        public void fillDisk(int node, long leaveBytes) {
            full.add(node);
            events.add("full");
        }

        @Override
        public void freeDisk(int node) {
            full.remove(node);
        }

        @Override
        public void block(int from, int to) {
            assertThat(from).isNotEqualTo(to);
            blocked = true;
            events.add("block");
        }

        @Override
        public void delay(int from, int to, Duration added) {
            disturb("delay", from, to);
            assertThat(added).isLessThan(Duration.ofSeconds(1));
        }

        @Override
        public void damage(int from, int to, int everyBytes) {
            disturb("damage", from, to);
        }

        @Override
        public void slow(int from, int to, int bytesPerSecond) {
            disturb("slow", from, to);
        }

        private void disturb(String how, int from, int to) {
            assertThat(from).isNotEqualTo(to);
            blocked = true;
            events.add(how);
        }

        @Override
        public void hangDisk(int node, boolean on) {
            assertThat(on ? hung.add(node) : hung.remove(node)).isTrue();
            events.add("hang");
        }

        @Override
        public void stepClock(int node, Duration step) {
            events.add("clock");
        }

        @Override
        public void holdConsumer(boolean on) {
            assertThat(held).isNotEqualTo(on);
            held = on;
            events.add("consumer");
        }

        @Override
        public void hurryProducers(int factor) {
            hurried = factor > 1;
            events.add("hurry");
        }

        @Override
        public void heal() {
            blocked = false;
        }

        @Override
        public void breakLinks(int one, int other) {
            assertThat(one).isNotEqualTo(other);
            events.add("break");
        }

        @Override
        public void settle() {
            atRest();
            lost.clear();
            downWhileLosing.clear();
        }

        @Override
        public void awaitComplete() {
            atRest();
        }

        @Override
        public void pass(Duration time) {
            assertThat(time.isNegative()).isFalse();
        }
    }

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final AttemptAccount account = new AttemptAccount();

    private void run(Judge judge, int seed, String kinds) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("demo.nodes", Integer.toString(judge.nodes));
        properties.setProperty("demo.f", Integer.toString(judge.f));
        properties.setProperty("demo.accidents", "40");
        properties.setProperty("demo.accidents.kinds", kinds);
        properties.setProperty("demo.seed", Integer.toString(seed));
        Terminal terminal = new Terminal(new PrintStream(printed, true, StandardCharsets.UTF_8));
        new Accidents(DemoOptions.of(properties), judge, account, terminal).happen(() -> false);
    }

    @Test
    void atMostFNodesAreDownOrLoseFilesBeforeTheNodesSettle() throws Exception {
        Set<Integer> lostMost = new TreeSet<>();
        Set<String> events = new TreeSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            Judge judge = new Judge(4 + seed % 4, 1 + seed % 3);
            run(judge, seed, "");
            judge.atRest();
            events.addAll(judge.events);
            lostMost.add(judge.lostMost);
        }
        assertThat(lostMost).as("f is reached").containsExactly(1, 2, 3);
        assertThat(events)
                .containsExactly(
                        "block",
                        "break",
                        "clock",
                        "consumer",
                        "damage",
                        "delay",
                        "empty",
                        "freeze",
                        "full",
                        "hang",
                        "hurry",
                        "kill",
                        "old",
                        "slow");
    }

    @Test
    void oneSeedGivesOneHistory() throws Exception {
        Judge once = new Judge(5, 2);
        Judge again = new Judge(5, 2);
        Judge other = new Judge(5, 2);
        run(once, 7, "");
        run(again, 7, "");
        run(other, 8, "");

        assertThat(again.events).isEqualTo(once.events);
        assertThat(other.events).isNotEqualTo(once.events);
    }

    @Test
    void drawsOnlyWhatIsAskedForAndPossible() throws Exception {
        Judge judge = new Judge(4, 2);
        judge.impossible.add(AccidentKind.FULL);

        run(judge, 1, "full,old");

        assertThat(new TreeSet<>(judge.events)).containsExactly("kill", "old");
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("left out: FULL, because it is not possible");
        assertThat(account.byFault().stream().map(tally -> tally.fault + tally.times))
                .containsExactly("none yet0", "OLD40");
    }

    @Test
    void endsWhenNothingIsLeftToTrouble() throws Exception {
        Judge judge = new Judge(3, 1);
        Properties properties = new Properties();
        properties.setProperty("demo.accidents", "40");

        new Accidents(DemoOptions.of(properties), judge, account, new Terminal(new PrintStream(printed)))
                .happen(() -> judge.events.size() > 3);

        assertThat(judge.events).hasSizeLessThan(40);
        assertThat(String.format(Locale.ROOT, "%s", judge.down)).isEqualTo("[]");
    }
}
