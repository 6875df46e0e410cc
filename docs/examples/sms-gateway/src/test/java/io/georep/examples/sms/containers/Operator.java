package io.georep.examples.sms.containers;

import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Volume;
import io.georep.examples.sms.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.testcontainers.containers.Network;

/** The operator in a container. It also sees the volumes of all gateways, to empty and to replace them. */
final class Operator extends Box {
    private static final int CONTROL = 8080;
    private static final int SMPP = 2776;

    private int read;

    Operator(String name, String ip, Network network, List<String> volumes) {
        super(name, ip, network, binds(volumes), CONTROL, SMPP);
        container()
                .withEnv("SMS_OPERATOR_PASSWORD", Gateway.PASSWORD)
                .withEnv("JAVA_TOOL_OPTIONS", Gateway.JVM)
                .withCreateContainerCmdModifier(create -> create.withUser("0")
                        .withEntrypoint(
                                "java", "-cp", "sms-gateway.jar:classes", "io.georep.examples.inside.OperatorMain"));
    }

    private static List<Bind> binds(List<String> volumes) {
        return volumes.stream()
                .map(each -> new Bind(each, new Volume("/volumes/" + each), AccessMode.rw))
                .toList();
    }

    @Override
    void start() {
        super.start();
        Await.until("the operator listens", () -> {
            try {
                return Http.get(uri(CONTROL, "/sessions/")).statusCode() == 200;
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** While on, the operator takes nothing, and its sessions stay open. */
    void throttle(boolean on) {
        ask("/throttle/" + (on ? "on" : "off"));
    }

    /** Enters into the ledger what arrived since the last time. */
    synchronized void report(Ledger ledger) {
        String lines = ask("/arrived/" + read);
        lines.lines().forEach(line -> {
            int space = line.indexOf(' ');
            ledger.arrived(line.substring(0, space), line.substring(space + 1));
            read++;
        });
    }

    private String ask(String path) {
        try {
            return Http.get(uri(CONTROL, path)).body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Empties the volume of a gateway that does not run. */
    void empty(Gateway gateway) {
        root("find /volumes/" + gateway.volume() + " -mindepth 1 -delete");
    }

    /** Copies the volume of a gateway that is paused or down, in place of an earlier copy. */
    void copy(Gateway gateway) {
        root("mkdir -p /copies && rm -rf /copies/" + gateway.volume() + " && cp -a /volumes/" + gateway.volume()
                + " /copies/");
    }

    /** Puts the copy in place of the volume of a gateway that does not run. */
    void restore(Gateway gateway) {
        empty(gateway);
        root("cp -a /copies/" + gateway.volume() + "/. /volumes/" + gateway.volume() + "/");
    }
}
