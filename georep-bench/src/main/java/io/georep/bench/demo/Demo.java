package io.georep.bench.demo;

import io.georep.bench.history.Checker;
import io.georep.bench.history.Event;
import io.georep.bench.history.Fault;
import io.georep.bench.history.History;
import io.georep.bench.process.ConsumptionWatch;
import io.georep.bench.process.Link;
import io.georep.bench.process.Workspace;
import io.georep.model.PeerState;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;

/**
 * The story: nodes start and meet, producers send, a node is killed, others adopt its entries, it comes back, and in the
 * end the account must close.
 */
final class Demo implements Controller.Listener {
    /**
     * Time the demo gives the nodes to delete what was forwarded, before it says that copies are left: more than the
     * longest pause between repetitions of a DELETE, of 30 heartbeats.
     */
    private static final Duration DRAIN_WITHIN = Duration.ofSeconds(60);

    private static final Duration PROGRESS = Duration.ofSeconds(1);

    private final DemoOptions options;
    private final Terminal terminal;
    private final History history;
    private final AttemptAccount account;
    private final Takeovers adoptions = new Takeovers();
    private final Operator operator;
    private final Workspace workspace;
    private final RecordedTestbed recorded;
    private final DemoCluster cluster;
    private final Proof proof;
    private final Producers producers;
    private final AgeSampler age;
    private volatile long killNanos;
    private volatile boolean quiet = true;
    private boolean complete;

    private Demo(DemoOptions options, PrintStream out, History history, Workspace workspace, ProcessTestbed testbed) {
        this.options = options;
        this.terminal = new Terminal(out);
        this.history = history;
        this.account = new AttemptAccount(history);
        this.operator = new Operator(account, history, options.operatorDelay().toNanos());
        this.workspace = workspace;
        this.cluster = testbed.cluster();
        this.producers = new Producers(cluster.nodes(), account, history, options);
        testbed.clients(producers, operator);
        this.recorded = new RecordedTestbed(
                testbed, history, node -> cluster.nodes().get(node).child().pid());
        this.proof = new Proof(options, recorded, cluster, producers, operator, account, history, terminal);
        this.age = new AgeSampler(
                cluster.nodes(),
                testbed.files(),
                options.sampleEvery(),
                () -> account.summary().forwarded(),
                terminal);
    }

    /**
     * Runs the demo; returns the exit code, which is 0 only when every message was acknowledged and every acknowledged
     * entry forwarded.
     */
    static int run(DemoOptions options, PrintStream out) throws IOException {
        return run(options, out, History.none());
    }

    /** The same, and tells a history. If the history has a run, that is judged as well. */
    static int run(DemoOptions options, PrintStream out, History history) throws IOException {
        try (Workspace workspace = Workspace.create("georep-demo-");
                ProcessTestbed testbed = new ProcessTestbed(options, workspace)) {
            Demo demo = new Demo(options, out, history, workspace, testbed);
            return demo.run();
        }
    }

    private int run() throws IOException {
        terminal.plain(
                "GeoRep demo: %d nodes, %,d entries of %d bytes, f = %d, durability %s, consumer takes %d ms per entry",
                options.nodes(),
                options.entries(),
                options.payloadBytes(),
                options.f(),
                options.durability(),
                options.operatorDelay().toMillis());
        if (options.accidents().count() > 0) {
            terminal.plain(
                    "%s; mean delay %d ms one way",
                    options.accidents(), options.delay().toMillis());
        }
        DemoReport report = new DemoReport(options, terminal, account, producers, adoptions);
        try (Controller controller = new Controller(cluster.nodes(), this);
                ConsumptionWatch watch = new ConsumptionWatch(cluster::children, history)) {
            watch.start();
            controller.start();
            operator.start();
            play(controller);
        } catch (DemoFailure e) {
            quiet = true;
            history.add(new Event.Failed(history.now(), String.valueOf(e.getMessage())));
            terminal.event("FAILED: %s", String.valueOf(e.getMessage()));
            report.print();
            keep();
            return 1;
        } finally {
            producers.stop();
            operator.stop();
        }
        int exitCode = report.print();
        if (history.isRecording() && !Checker.judge(history.events()).holds()) {
            exitCode = 1;
        }
        if (exitCode != 0) {
            keep();
        }
        return exitCode;
    }

    private void keep() {
        workspace.keep();
        terminal.plain("Data directories and logs of the nodes are kept in %s", workspace.directory());
    }

    private void play(Controller controller) throws IOException {
        cluster.start(controller.port());
        terminal.event(
                "all %d nodes see each other; %d producers each start to send", options.nodes(), options.producers());
        quiet = false;
        Thread progress = new Thread(this::showProgress, "demo-progress");
        progress.setDaemon(true);
        producers.start();
        age.start();
        progress.start();
        if (options.accidents().count() > 0) {
            happen();
        } else if (options.kills()) {
            accident(cluster.node(options.kill()));
        }
        settle();
        if (options.reserve() > 0) {
            proof.end();
        }
        quiet = true;
        age.stop();
        boolean drained = cluster.holdsWithin(DRAIN_WITHIN, cluster::drained);
        terminal.event(
                "%s", drained ? "all copies are deleted everywhere" : "still to be deleted: " + cluster.leftOver());
        proof.count(Event.Phase.END);
        cluster.stop();
        terminal.event("all nodes closed in order");
    }

    private void happen() throws IOException {
        new Accidents(options, recorded, account, terminal).happen(producers::atReserve);
        if (options.reserve() > 0) {
            proof.begin();
        }
    }

    private void accident(NodeProcess victim) throws IOException {
        cluster.await("a third of the messages", () -> producers.done() >= options.entries() / 3);
        long waiting = account.missingOf(victim.name());
        killNanos = System.nanoTime();
        victim.kill();
        terminal.event(
                "kill -9 %s: of what it acknowledged, %,d entries were not forwarded yet", victim.child(), waiting);
        Duration patience = options.failoverAfter().plus(options.patience());
        boolean given = cluster.holdsWithin(patience, () -> givenUp(victim));
        if (!given) {
            throw new DemoFailure("Nobody gave " + victim.name() + " up within " + patience.toSeconds() + " s");
        }
        if (options.f() > 0) {
            cluster.holdsWithin(options.failoverAfter(), this::adoptionRests);
            for (Takeovers.Share share : adoptions.shares()) {
                terminal.event(
                        "%s adopted %,d entries of %s, the first %.2f s and the last %.2f s after the kill",
                        share.adopter(),
                        share.entries(),
                        victim.name(),
                        Terminal.seconds(share.firstNanos() - killNanos),
                        Terminal.seconds(share.lastNanos() - killNanos));
            }
        }
        cluster.restart(victim);
        cluster.await(victim.name() + " to rejoin", cluster::complete);
        terminal.event("%s is a full member again; its producers return to it", victim.name());
    }

    private boolean givenUp(NodeProcess victim) {
        return cluster.nodes().stream()
                .filter(node -> node != victim)
                .allMatch(node -> node.view(victim.name()).equals(PeerState.TERMINATED.name()));
    }

    /** Returns whether there was no adoption for half a second. */
    private boolean adoptionRests() {
        long last = adoptions.shares().stream()
                .mapToLong(Takeovers.Share::lastNanos)
                .max()
                .orElse(System.nanoTime());
        return System.nanoTime() - last > 500_000_000;
    }

    /** Waits until every message is acknowledged and every acknowledged entry forwarded, while there is progress. */
    private void settle() {
        long before = -1;
        long now = progressCount();
        while (now > before && !settled()) {
            before = now;
            long reached = now;
            Duration patience = options.patience().plus(options.operatorDelay());
            cluster.holdsWithin(patience, () -> settled() || progressCount() > reached);
            now = progressCount();
        }
        if (!settled()) {
            throw new DemoFailure("No progress for " + options.patience().toSeconds() + " s");
        }
        terminal.event("every message is acknowledged and every acknowledged entry forwarded");
    }

    private boolean settled() {
        return producers.finished() && account.summary().lost() == 0;
    }

    private long progressCount() {
        return producers.done() + account.summary().forwarded();
    }

    private void showProgress() {
        AttemptAccount.Summary before = account.summary();
        while (true) {
            try {
                Thread.sleep(PROGRESS.toMillis());
            } catch (InterruptedException e) {
                return;
            }
            AttemptAccount.Summary now = account.summary();
            if (quiet) {
                return;
            }
            terminal.event(
                    "acknowledged %,9d  forwarded %,9d  in hand %,7d  duplicates %,d   %,7d/s",
                    now.acknowledged(),
                    now.forwarded(),
                    now.lost(),
                    now.duplicates(),
                    now.forwarded() - before.forwarded());
            before = now;
        }
    }

    @Override
    public void hello(NodeProcess node, DemoMessage.Hello hello) {
        history.add(new Event.Started(history.now(), node.name(), node.child().pid()));
        terminal.event(
                "%s (pid %d, site %s) listens on %s, boot number %d",
                node.name(), node.child().pid(), DemoOptions.site(node.index()), hello.address(), hello.incarnation());
    }

    @Override
    public void message(NodeProcess node, Link link, DemoMessage message) {
        if (message instanceof DemoMessage.Stored stored) {
            producers.stored(stored.attempt(), stored.id());
        } else if (message instanceof DemoMessage.Offered offered) {
            operator.offer(node.name(), link, offered);
        } else if (message instanceof DemoMessage.Refused refused) {
            producers.refused(refused.attempt(), refused.indeterminate(), refused.reason());
        } else if (message instanceof DemoMessage.Status status) {
            node.heard(status);
            noteWhetherComplete();
        } else if (message instanceof DemoMessage.Starved starved) {
            history.add(new Event.Began(history.at(starved.fromNanos()), Fault.STARVED, node.name(), ""));
            history.add(new Event.Over(history.at(starved.untilNanos()), Fault.STARVED, node.name(), ""));
        } else if (message instanceof DemoMessage.Measured measured) {
            node.measured(measured);
        } else if (message instanceof DemoMessage.PeerSeen seen) {
            node.sees(seen);
            history.add(new Event.Judged(history.at(seen.nanos()), node.name(), seen.peer(), seen.state()));
            if (!quiet) {
                terminal.event("%s thinks that %s is %s", node.name(), seen.peer(), seen.state());
            }
        } else if (message instanceof DemoMessage.Adopted adopted
                && adoptions.adopted(node.name(), System.nanoTime())
                && !quiet) {
            terminal.event("%s begins to adopt entries of %s", node.name(), adopted.from());
        }
    }

    private synchronized void noteWhetherComplete() {
        boolean now = cluster.complete();
        if (now != complete) {
            complete = now;
            history.add(new Event.Met(history.now(), now));
        }
    }

    @Override
    public void gone(NodeProcess node) {
        int open = producers.disconnected(node.index());
        if (!quiet) {
            terminal.event(
                    "%s does not answer any more: its producers move to others, %d of them with a send left open",
                    node.name(), open);
        }
    }
}
