package io.georep.examples.sms.containers;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateNetworkCmd;
import com.github.dockerjava.api.model.Network.Ipam;
import io.georep.examples.sms.Await;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Network;

/** Gateways g1, g2 … in containers of one network, each with a volume and a fixed address, and an operator. */
final class Cluster implements AutoCloseable {
    /** Label of containers and volumes, for who has to clean up after a killed run. */
    private static final String LABEL = "io.georep.test";

    private final DockerClient docker = DockerClientFactory.instance().client();
    private final String subnet;
    private final Network network;
    private final int f;
    private final List<String> volumes = new ArrayList<>();
    private final List<Gateway> all = new ArrayList<>();
    private final List<Gateway> members = new ArrayList<>();
    private final Operator operator;
    private final Set<Gateway> paused = new HashSet<>();

    /**
     * Describes a cluster; {@link #start} starts it.
     *
     * @param number tells the clusters of a run apart, 1 to 254
     * @param gateways how many containers there are
     * @param f copies of each message
     */
    Cluster(int number, int gateways, int f) {
        this.f = f;
        subnet = "10.213." + number + ".";
        String name = "georep-test-" + number;
        clearAway(name);
        network = Network.builder()
                .createNetworkCmdModifier(create -> address(create.withName(name)))
                .build();
        for (int i = 1; i <= gateways; i++) {
            String volume = name + "-g" + i;
            docker.createVolumeCmd()
                    .withName(volume)
                    .withLabels(Map.of(LABEL, name))
                    .exec();
            volumes.add(volume);
        }
        operator = new Operator("operator", subnet + 9, network, volumes);
        operator.container().withLabel(LABEL, name);
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        String secret = Base64.getEncoder().encodeToString(bytes);
        for (int i = 1; i <= gateways; i++) {
            String id = "g" + i;
            String seeds = IntStream.rangeClosed(1, Math.min(3, gateways))
                    .filter(other -> !id.equals("g" + other))
                    .mapToObj(other -> ip(other) + ":" + Gateway.PEERS)
                    .collect(Collectors.joining(","));
            Gateway gateway = new Gateway(
                    id, ip(i), network, volumes.get(i - 1), Gateway.settings(id, ip(i), seeds, operator.ip(), f));
            gateway.container().withEnv("GEOREP_SECURITY_SECRET", secret).withLabel(LABEL, name);
            all.add(gateway);
        }
    }

    /** Removes what a run that was killed has left: its addresses and its volumes are in the way. */
    private void clearAway(String name) {
        docker.listNetworksCmd().withNameFilter("^" + name + "$").exec().forEach(left -> {
            docker.inspectNetworkCmd()
                    .withNetworkId(left.getId())
                    .exec()
                    .getContainers()
                    .keySet()
                    .forEach(Box::removeById);
            docker.removeNetworkCmd(left.getId()).exec();
        });
        docker.listContainersCmd()
                .withShowAll(true)
                .withLabelFilter(Map.of(LABEL, name))
                .exec()
                .forEach(left -> Box.removeById(left.getId()));
        docker.listVolumesCmd()
                .withFilter("label", List.of(LABEL + "=" + name))
                .exec()
                .getVolumes()
                .forEach(left -> docker.removeVolumeCmd(left.getName()).exec());
    }

    private String ip(int gateway) {
        return subnet + (10 + gateway);
    }

    private void address(CreateNetworkCmd create) {
        create.withIpam(new Ipam().withConfig(new Ipam.Config().withSubnet(subnet + "0/24")));
    }

    /** Starts the operator and the first so many gateways, and waits until they know each other. */
    void start(int first) {
        operator.start();
        for (int i = 0; i < first; i++) {
            join(all.get(i));
        }
        awaitCalm();
    }

    /** Starts one more gateway, without waiting for it. */
    void join(Gateway gateway) {
        gateway.start();
        members.add(gateway);
    }

    /** It does not belong to the cluster any more. */
    void forget(Gateway gateway) {
        members.remove(gateway);
    }

    int f() {
        return f;
    }

    Operator operator() {
        return operator;
    }

    /** A gateway by number, from 1. */
    Gateway gateway(int number) {
        return all.get(number - 1);
    }

    List<Gateway> members() {
        return List.copyOf(members);
    }

    List<Gateway> membersBut(Gateway... others) {
        return members.stream().filter(each -> !List.of(others).contains(each)).toList();
    }

    /** Takes back all faults, whatever a test left behind. */
    void mend() {
        operator.throttle(false);
        List.copyOf(paused).forEach(this::unpause);
        for (Gateway gateway : members) {
            if (!gateway.running()) {
                gateway.start();
            }
        }
        heal();
        awaitCalm();
        await("everything is forwarded and forgotten", () -> sum(Gateway::backlog) == 0 && sum(Gateway::copies) == 0);
    }

    void pause(Gateway gateway) {
        gateway.pause();
        paused.add(gateway);
    }

    void unpause(Gateway gateway) {
        gateway.unpause();
        paused.remove(gateway);
    }

    /** Nothing gets from one of these groups to another; the operator and the tests reach all. */
    void split(List<List<Gateway>> groups) {
        for (List<Gateway> group : groups) {
            List<Gateway> beyond =
                    members.stream().filter(each -> !group.contains(each)).toList();
            group.forEach(each -> cutBothWays(each, beyond));
        }
    }

    /** Nothing gets from these gateways to one of the others, nor from them to it. */
    static void cutBothWays(Gateway gateway, List<Gateway> others) {
        gateway.drop(others.stream()
                .flatMap(each -> List.of("-s " + each.ip(), "-d " + each.ip()).stream())
                .toList());
    }

    /**
     * No data gets from a gateway to the others, and all data from them to it. What TCP itself needs gets through, or the
     * other direction would soon stand still: no segment with data is shorter than this, and no other one is longer.
     */
    static void cutOutgoing(Gateway gateway, List<Gateway> others) {
        gateway.drop(others.stream()
                .map(each -> "-d " + each.ip() + " -p tcp -m length --length 73:65535")
                .toList());
    }

    void heal() {
        members.forEach(each -> each.drop(List.of()));
    }

    /** Waits until all members take messages and can give each other copies. */
    void awaitCalm() {
        for (Gateway gateway : members) {
            await(gateway.name() + " is ready", () -> {
                gateway.requireRunning();
                return gateway.ready();
            });
            Set<String> others = membersBut(gateway).stream().map(Gateway::name).collect(Collectors.toSet());
            await(
                    gateway.name() + " can give copies to all others",
                    () -> gateway.selectable().containsAll(others));
        }
    }

    /** Waits until each of these believes that the others are in that state. */
    static void awaitState(List<Gateway> observers, List<Gateway> others, String state) {
        for (Gateway observer : observers) {
            await(observer.name() + " sees the others " + state, () -> {
                Map<String, String> states = observer.peers();
                return others.stream().allMatch(each -> state.equals(states.get(each.name())));
            });
        }
    }

    /**
     * Waits until so many messages wait, each on f + 1 gateways, and nobody knows of a missing copy. Two may hold the same
     * message, if both adopted it and have handed it to their listeners; then neither cedes.
     */
    void awaitCopies(long messages) {
        try {
            await(messages + " messages are on " + (f + 1) + " gateways each", () -> {
                long held = sum(Gateway::backlog);
                return held >= messages
                        && held + sum(Gateway::copies) == messages * (f + 1)
                        && sum(Gateway::shortOfCopies) == 0;
            });
        } catch (AssertionError e) {
            throw new AssertionError(
                    members.stream()
                            .map(each -> each.name() + " holds " + each.backlog() + ", copies " + each.copies()
                                    + ", short " + each.shortOfCopies())
                            .toList()
                            .toString(),
                    e);
        }
    }

    long sum(ToLongFunction<Gateway> figure) {
        return members.stream().mapToLong(figure).sum();
    }

    /** Posts so many messages to each of these gateways; all must be acknowledged. */
    static void post(Ledger ledger, int each, List<Gateway> gateways) {
        for (Gateway gateway : gateways) {
            for (int i = 0; i < each; i++) {
                Gateway.Answer answer = gateway.post(ledger);
                assertThat(answer.status()).as(gateway.name() + " " + answer).isEqualTo(202);
            }
        }
    }

    /** Waits until each of these has acknowledged so many messages that were sent in that phase. */
    static void awaitAcknowledged(Ledger ledger, String phase, int each, List<Gateway> gateways) {
        for (Gateway gateway : gateways) {
            await(
                    gateway.name() + " acknowledges in the phase " + phase,
                    () -> ledger.all(Ledger.Answer.ACKNOWLEDGED, phase).stream()
                                    .filter(attempt -> attempt.gateway.equals(gateway.name()))
                                    .count()
                            >= each);
        }
    }

    /** Waits until everything that was acknowledged has arrived. */
    void awaitArrival(Ledger ledger) {
        try {
            await("all that was acknowledged arrives", () -> {
                operator.report(ledger);
                return ledger.missing().isEmpty();
            });
        } catch (AssertionError e) {
            throw new AssertionError(
                    ledger.summary() + "; missing: "
                            + ledger.missing().stream().limit(20).toList(),
                    e);
        }
    }

    /** Waits until nothing is left anywhere, and holds what arrived against what clients were told. */
    void settle(Ledger ledger) {
        awaitArrival(ledger);
        await("nothing is left", () -> sum(Gateway::backlog) == 0 && sum(Gateway::copies) == 0);
        operator.report(ledger);
        System.out.println("[containers] " + ledger.summary());
        assertThat(ledger.missing()).isEmpty();
        assertThat(ledger.faults()).isEmpty();
    }

    /** Waits until a condition holds; a gateway that does not answer right now is asked again. */
    static void await(String what, BooleanSupplier condition) {
        Await.until(what, 300, 100, () -> {
            try {
                return condition.getAsBoolean();
            } catch (UncheckedIOException e) {
                return false;
            }
        });
    }

    @Override
    public void close() {
        all.forEach(Gateway::remove);
        operator.remove();
        network.close();
        volumes.forEach(each -> docker.removeVolumeCmd(each).exec());
    }
}
