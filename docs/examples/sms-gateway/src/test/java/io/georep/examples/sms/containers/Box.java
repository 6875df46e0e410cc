package io.georep.examples.sms.containers;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Ports;
import io.georep.examples.sms.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container;
import org.testcontainers.containers.ExecConfig;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;

/** A container with an address of its own, that can be killed and started again, paused, and cut off from others. */
class Box {
    private static final Path LOGS = Path.of("target", "container-logs");

    private final String name;
    private final String ip;
    private final GenericContainer<?> container;
    private final DockerClient docker = DockerClientFactory.instance().client();
    private final Map<Integer, Integer> ports = new ConcurrentHashMap<>();

    /**
     * Describes a container without starting it.
     *
     * @param ip its address, which it keeps
     * @param exposed ports that tests use
     */
    Box(String name, String ip, Network network, List<Bind> volumes, Integer... exposed) {
        this.name = name;
        this.ip = ip;
        container = new GenericContainer<>(Images.withFaults())
                .withNetwork(network)
                .withExposedPorts(exposed)
                .waitingFor(new NoWait())
                .withCreateContainerCmdModifier(create -> {
                    create.withIpv4Address(ip);
                    create.withHostName(name);
                    HostConfig host = create.getHostConfig();
                    host.withCapAdd(Capability.NET_ADMIN);
                    host.withBinds(volumes);
                });
    }

    /** What else the container gets, before the first start. */
    GenericContainer<?> container() {
        return container;
    }

    final String name() {
        return name;
    }

    final String ip() {
        return ip;
    }

    /** Starts the container, or starts it again after it was killed or stopped. Rules of the firewall are gone then. */
    void start() {
        if (container.getContainerId() == null) {
            container.start();
        } else {
            docker.startContainerCmd(container.getContainerId()).exec();
        }
        ports.clear();
    }

    /** SIGKILL: the process gets no chance to say anything. */
    void kill() {
        docker.killContainerCmd(container.getContainerId()).exec();
        awaitEnd();
    }

    /** SIGTERM, and time to leave in order. */
    void stop() {
        docker.stopContainerCmd(container.getContainerId()).withTimeout(60).exec();
        awaitEnd();
    }

    private void awaitEnd() {
        Await.until(name + " has ended", () -> !running());
        ports.clear();
    }

    boolean running() {
        return Boolean.TRUE.equals(inspect().getState().getRunning());
    }

    /** The exit code of the process that ended last. */
    long exitCode() {
        return inspect().getState().getExitCodeLong();
    }

    /** Stops the process where it is, as SIGSTOP does: its connections stay, and nobody answers. */
    void pause() {
        docker.pauseContainerCmd(container.getContainerId()).exec();
    }

    void unpause() {
        docker.unpauseContainerCmd(container.getContainerId()).exec();
    }

    /** Drops all packets that match, in place of those that were dropped before; in the words of iptables, without the target. */
    void drop(List<String> matches) {
        StringBuilder script = new StringBuilder("set -e; if iptables -w -N FAULT 2>/dev/null; then"
                + " iptables -w -I INPUT -j FAULT; iptables -w -I OUTPUT -j FAULT; fi; iptables -w -F FAULT");
        matches.forEach(
                match -> script.append("; iptables -w -A FAULT ").append(match).append(" -j DROP"));
        root(script.toString());
    }

    /** Whether this container can open a connection to a port of another one. */
    boolean reaches(Box other, int port) {
        return exec("timeout 1 bash -c 'exec 3<>/dev/tcp/" + other.ip + "/" + port + "'")
                        .getExitCode()
                == 0;
    }

    /** Runs a script as user 0; it must succeed. */
    void root(String script) {
        Container.ExecResult result = exec(script);
        if (result.getExitCode() != 0) {
            throw new IllegalStateException("in " + name + ": " + script + " ended with " + result.getExitCode() + ": "
                    + result.getStdout() + result.getStderr());
        }
    }

    private Container.ExecResult exec(String script) {
        try {
            return container.execInContainer(ExecConfig.builder()
                    .user("0")
                    .command(new String[] {"sh", "-c", script})
                    .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Where a port of the container is open to the tests; it changes with each start. */
    final int port(int inside) {
        return ports.computeIfAbsent(inside, this::findPort);
    }

    private int findPort(int inside) {
        Ports.Binding[] bindings =
                inspect().getNetworkSettings().getPorts().getBindings().get(ExposedPort.tcp(inside));
        if (bindings == null || bindings.length == 0) {
            throw new IllegalStateException(name + " does not run");
        }
        return Integer.parseInt(bindings[0].getHostPortSpec());
    }

    /** Name of the machine on which the ports are open. */
    final String host() {
        return container.getHost();
    }

    final String uri(int inside, String path) {
        return "http://" + host() + ":" + port(inside) + path;
    }

    private InspectContainerResponse inspect() {
        return docker.inspectContainerCmd(container.getContainerId()).exec();
    }

    /** Says what it logged last if it has ended by itself. */
    void requireRunning() {
        if (!running()) {
            String log = container.getLogs();
            throw new AssertionError(
                    name + " has ended with " + exitCode() + ": " + log.substring(Math.max(0, log.length() - 4000)));
        }
    }

    /** Writes its log to target/container-logs and removes it. */
    void remove() {
        if (container.getContainerId() == null) {
            return;
        }
        try {
            Files.createDirectories(LOGS);
            // The clusters of a run have gateways of the same names, in networks of their own.
            Files.writeString(LOGS.resolve(name + "-" + ip + ".log"), container.getLogs());
        } catch (IOException | RuntimeException e) {
            System.err.println("No log of " + name + ": " + e);
        }
        removeById(container.getContainerId());
    }

    static void removeById(String id) {
        DockerClientFactory.instance()
                .client()
                .removeContainerCmd(id)
                .withForce(true)
                .withRemoveVolumes(true)
                .exec();
    }

    /** Readiness is asked for by those who need it. */
    private static final class NoWait extends AbstractWaitStrategy {
        @Override
        protected void waitUntilReady() {}
    }
}
