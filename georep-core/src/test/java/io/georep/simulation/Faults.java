package io.georep.simulation;

import io.georep.model.NodeId;
import io.georep.outbox.core.OutboxCommand;
import io.georep.protocol.MembershipProtocol;
import io.georep.protocol.membership.MembershipCommand;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Makes trouble of the chosen kinds at random times, until told to stop. */
final class Faults {
    private static final long HOUR_MILLIS = 3_600_000;
    private static final long DAY_MILLIS = 24 * HOUR_MILLIS;

    private final SimulatedCluster cluster;
    private final SimulationOptions options;
    private final World world;
    private final RandomGenerator random;
    private final Trouble trouble;
    private final NetworkFaults network;
    private final List<Fault> kinds;
    private final TreeMap<NodeId, SimulatedDisk.Image> images = new TreeMap<>();
    private int lossesLeft;
    private int era;
    private boolean over = true;

    Faults(SimulatedCluster cluster, Trouble trouble) {
        this.cluster = cluster;
        this.options = cluster.options();
        this.world = cluster.world();
        this.trouble = trouble;
        random = world.random("faults");
        kinds = List.copyOf(options.faults());
        lossesLeft = options.lossesMax();
        network = new NetworkFaults(cluster, trouble, this, random);
    }

    /** Trouble from now on, until {@link #heal}; afterwards there may be some again. */
    void start() {
        over = false;
        era++;
        if (options.breadth().has(Breadth.Kind.ERAS)) {
            int most = options.failures().stream().reduce(1, Math::max);
            lossesLeft = 1 + random.nextInt(most);
        }
        if (!kinds.isEmpty()) {
            plan(era);
        }
    }

    private boolean isOver(int then) {
        return over || then != era;
    }

    private void plan(int then) {
        world.after(1 + random.nextLong(2 * options.faultGapNanos()), () -> {
            if (!isOver(then)) {
                happen(kinds.get(random.nextInt(kinds.size())));
                plan(then);
            }
        });
    }

    Host any() {
        return cluster.hosts().get(random.nextInt(cluster.hosts().size()));
    }

    private void happen(Fault kind) {
        Host host = any();
        switch (kind) {
            case CRASH -> crash(kind, host, () -> host.node().start());
            case CRASH_AFTER_ACCEPT ->
                host.afterAccept = () -> crash(kind, host, () -> host.node().start());
            case POWER_CUT -> powerCut();
            case WIPE, OLD_IMAGE -> lose(kind, host);
            case DEATH -> die(host);
            case DISK_FULL -> diskFull(host);
            case PARTITION -> network.partition();
            case ONE_WAY -> network.oneWay();
            case BREAK -> network.breakSome(host);
            case CLOG -> network.clog(host, any());
            case PAUSE -> pause(host);
            case CLOCK_STEP -> host.node().clock().step(step());
            case LEAVE -> leave(host);
            case DRAIN -> drain(host);
            case REMOVE -> remove(host);
            case SLOW_CONSUMER -> slow(host);
            case REFUSE_ADOPTION -> refuseAdoption(host);
            case DISK_HANG -> diskHang(host);
            case DISK_SLOW -> diskSlow(host);
            case DISK_ERROR -> diskError(host);
            case CRASH_ON_DUTY -> host.onDuty = () -> crashSoon(host);
            case MOVE -> move(host);
            case ORDERS -> orders(host);
        }
    }

    private long step() {
        boolean days = options.breadth().has(Breadth.Kind.ABSENCE) && random.nextBoolean();
        long most = days ? 3 * DAY_MILLIS : HOUR_MILLIS;
        return random.nextLong(-most, most);
    }

    /** A time of any length that matters: below suspicion, between, beyond giving up, or beyond all memory. */
    long spell() {
        if (options.breadth().has(Breadth.Kind.ABSENCE) && random.nextInt(4) == 0) {
            return 1 + random.nextLong(3 * options.config().tombstoneLife().toNanos());
        }
        long suspect = options.config().suspectAfter().toNanos();
        long longest = switch (random.nextInt(3)) {
            case 0 -> suspect;
            case 1 -> options.failoverNanos();
            default -> 2 * options.failoverNanos() + suspect;
        };
        return 1 + random.nextLong(longest);
    }

    /** Lets it be over some time later, unless all trouble is over before. */
    void later(Trouble.Item item, long nanos, Runnable end) {
        int then = era;
        world.after(nanos, () -> {
            if (!isOver(then)) {
                trouble.end(item, settling());
                end.run();
            }
        });
    }

    long settling() {
        return 2 * options.failoverNanos();
    }

    private void crash(Fault kind, Host host, Runnable restart) {
        if (!host.isRunning()) {
            return;
        }
        Trouble.Item item = trouble.begin(kind, host.id(), null);
        cluster.crash(host);
        later(item, spell(), () -> {
            if (!host.dead && !host.isRunning()) {
                restart.run();
            }
        });
    }

    private void powerCut() {
        for (Host host : cluster.hosts()) {
            crash(Fault.POWER_CUT, host, () -> host.node().start());
        }
    }

    private void lose(Fault kind, Host host) {
        if (kind == Fault.OLD_IMAGE && !images.containsKey(host.id())) {
            images.put(host.id(), host.node().disk().image());
            return;
        }
        if (losesNow() && host.isRunning()) {
            lossesLeft--;
            SimulatedDisk.Image image = kind == Fault.WIPE ? null : images.remove(host.id());
            crash(kind, host, () -> host.node().start());
            cluster.replaceStore(host, image);
        }
    }

    /** Not always, so that the few allowed losses are spread over the run. */
    private boolean losesNow() {
        return lossesLeft > 0 && random.nextInt(4) == 0;
    }

    private void die(Host host) {
        long alive = cluster.hosts().stream().filter(other -> !other.dead).count();
        if (losesNow() && host.isRunning() && alive > 2) {
            lossesLeft--;
            trouble.begin(Fault.DEATH, host.id(), null);
            cluster.crash(host);
            cluster.bury(host);
        }
    }

    private void remove(Host host) {
        List<Host> others = cluster.hosts().stream()
                .filter(other -> other != host && other.isRunning())
                .toList();
        long alive = cluster.hosts().stream().filter(other -> !other.dead).count();
        if (others.isEmpty() || (!host.dead && (lossesLeft == 0 || alive <= 2 || random.nextInt(4) > 0))) {
            return;
        }
        Host operator = others.get(random.nextInt(others.size()));
        if (host.isRunning()) {
            host.removedWhileRunning();
        }
        operator.node().command(MembershipProtocol.CHANNEL, new MembershipCommand.Remove(host.id()));
        trouble.begin(Fault.REMOVE, host.id(), null);
        if (!host.dead) {
            lossesLeft--;
            world.after(random.nextLong(World.SECONDS), () -> {
                if (host.isRunning()) {
                    cluster.crash(host);
                }
                cluster.bury(host);
            });
        }
    }

    private void diskFull(Host host) {
        Trouble.Item item = trouble.begin(Fault.DISK_FULL, host.id(), null);
        host.node().disk().full(true);
        later(item, spell(), () -> host.node().disk().full(false));
    }

    private void diskHang(Host host) {
        Trouble.Item item = trouble.begin(Fault.DISK_HANG, host.id(), null);
        int what = random.nextInt(4);
        host.node().disk().hang(what != 1, what != 2);
        later(item, spell(), () -> {
            host.node().disk().hang(false, false);
            restart(host);
        });
    }

    /** Slow as a disk may be without being given up. */
    private void diskSlow(Host host) {
        Trouble.Item item = trouble.begin(Fault.DISK_SLOW, host.id(), null);
        long nanos = 1 + random.nextLong(options.config().storeFailAfter().toNanos() / 3);
        host.node().disk().speed(new SimulatedDisk.Speed(nanos / 2, nanos, nanos));
        later(item, spell(), () -> host.node().disk().mend());
    }

    private void diskError(Host host) {
        Trouble.Item item = trouble.begin(Fault.DISK_ERROR, host.id(), null);
        host.node().disk().breakDown();
        later(item, spell(), () -> restart(host));
    }

    private static void restart(Host host) {
        if (!host.dead && !host.isRunning()) {
            host.node().start();
        }
    }

    private void pause(Host host) {
        if (host.isRunning() && !host.node().isPaused()) {
            Trouble.Item item = trouble.begin(Fault.PAUSE, host.id(), null);
            host.node().pause();
            later(item, spell(), () -> {
                if (host.isRunning() && host.node().isPaused()) {
                    host.resume();
                }
            });
        }
    }

    private void leave(Host host) {
        if (!host.isRunning() || host.leaving || !host.node().isListening()) {
            return;
        }
        Trouble.Item item = trouble.begin(Fault.LEAVE, host.id(), null);
        long away = spell();
        long back = switch (random.nextInt(3)) {
            case 0 -> away / 2;
            case 1 -> away;
            default -> away + options.failoverNanos() * 3 / 2;
        };
        host.leave(Duration.ofNanos(away));
        later(item, back + options.config().putTimeout().toNanos(), () -> {
            if (!host.dead && !host.isRunning()) {
                host.node().start();
            }
        });
    }

    private void drain(Host host) {
        Host operator = any();
        if (operator.isRunning()) {
            boolean on = random.nextInt(3) > 0;
            Trouble.Item item = trouble.begin(Fault.DRAIN, host.id(), null);
            trouble.end(item, settling());
            operator.node().command(MembershipProtocol.CHANNEL, new MembershipCommand.Drain(host.id(), on));
        }
    }

    private void slow(Host host) {
        Trouble.Item item = trouble.begin(Fault.SLOW_CONSUMER, host.id(), null);
        host.slow = true;
        later(item, spell(), () -> host.slow = false);
    }

    private void refuseAdoption(Host host) {
        host.adoptionRefused = true;
        host.command(new OutboxCommand.AllowAdoption(false));
        world.after(spell(), () -> {
            host.adoptionRefused = false;
            host.command(new OutboxCommand.AllowAdoption(true));
        });
    }

    /** The duty is not over at once. */
    private void crashSoon(Host host) {
        host.later(random.nextLong(options.config().heartbeat().toNanos()), () -> {
            if (!over) {
                crash(Fault.CRASH_ON_DUTY, host, () -> host.node().start());
            }
        });
    }

    /** The first two machines are the seeds: everybody finds the others through them. */
    private void move(Host host) {
        if (cluster.hosts().indexOf(host) >= 2) {
            crash(Fault.MOVE, host, () -> {
                host.node().move(host.id() + ":" + (2 + host.node().boots()));
                host.node().start();
            });
        }
    }

    private void orders(Host host) {
        for (int i = 2 + random.nextInt(3); i > 0; i--) {
            drain(host);
        }
    }

    /** Starts all machines, or some later. */
    void startMachines() {
        for (Host host : cluster.hosts()) {
            boolean late = options.breadth().has(Breadth.Kind.NEWCOMERS)
                    && cluster.hosts().indexOf(host) >= 2
                    && random.nextBoolean();
            if (late) {
                world.after(random.nextLong(options.durationNanos()), () -> {
                    if (!host.isRunning() && !host.dead && host.node().boots() == 0) {
                        host.node().start();
                    }
                });
            } else {
                host.node().start();
            }
        }
    }

    /** No more trouble: everything is repaired, everybody but the dead comes back. */
    void heal() {
        over = true;
        trouble.endAll(settling());
        for (Host from : cluster.hosts()) {
            for (Host to : cluster.hosts()) {
                if (from != to) {
                    cluster.way(from, to).heal();
                }
            }
            from.slow = false;
            from.afterAccept = null;
            from.node().disk().mend();
            from.onDuty = null;
            if (from.isRunning() && from.node().isPaused()) {
                from.resume();
            }
            if (from.leaving && from.isRunning()) {
                from.node().stop();
            }
            if (!from.dead && !from.isRunning()) {
                from.node().start();
            }
            from.adoptionRefused = false;
            from.command(new OutboxCommand.AllowAdoption(true));
        }
    }
}
