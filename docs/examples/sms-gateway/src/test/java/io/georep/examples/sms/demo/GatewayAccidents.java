package io.georep.examples.sms.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.georep.examples.sms.Await;
import io.georep.examples.sms.Distance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.springframework.util.FileSystemUtils;

/** What can happen to three gateways. After each accident all are well again. */
final class GatewayAccidents implements AutoCloseable {
    /** Kinds are counted from 0, which is an emptied directory. */
    static final int KINDS = 4;

    private final Path directory;
    private final Random random;

    /** What the others dial, by gateway. */
    private final List<Distance> ways = new ArrayList<>();

    private interface Accident {
        void end() throws Exception;
    }

    GatewayAccidents(Path directory, Random random) {
        this.directory = directory;
        this.random = random;
    }

    /** Returns what the others are to dial for the port of one more gateway. */
    int dialled(int port) {
        try {
            Distance way = new Distance(port, Duration.ZERO);
            ways.add(way);
            return way.port();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (Distance way : ways) {
            way.close();
        }
    }

    /** Something happens to one of them, and while it lasts something to another one; but files are lost alone, as f is 1. */
    void happen(int kind, List<GatewayProcess> gateways) throws Exception {
        int victim = random.nextInt(gateways.size());
        int other = (victim + 1 + random.nextInt(gateways.size() - 1)) % gateways.size();
        Accident first = begin(kind, victim, gateways);
        pass(500 + random.nextInt(4000));
        if (kind == 0) {
            first.end();
        } else {
            Accident second = begin(1 + random.nextInt(KINDS - 1), other, gateways);
            pass(500 + random.nextInt(4000));
            first.end();
            pass(random.nextInt(2000));
            second.end();
        }
        gateways.forEach(each -> Await.until(each.site() + " to be well", each::ready));
    }

    private Accident begin(int kind, int victim, List<GatewayProcess> gateways) throws Exception {
        GatewayProcess gateway = gateways.get(victim);
        switch (kind) {
            case 0 -> {
                say("kill -9 of " + gateway.site() + ", and its directory is emptied");
                gateway.kill();
                FileSystemUtils.deleteRecursively(directory.resolve(gateway.site()));
                return gateway::restart;
            }
            case 1 -> {
                say("kill -9 of " + gateway.site());
                gateway.kill();
                return gateway::restart;
            }
            case 2 -> {
                say(gateway.site() + " stands still");
                signal(gateway, "-STOP");
                return () -> signal(gateway, "-CONT");
            }
            default -> {
                List<Integer> others = new ArrayList<>(List.of(0, 1, 2));
                others.remove(victim);
                if (random.nextBoolean()) {
                    others.remove(random.nextInt(others.size()));
                }
                say(gateway.site() + " is cut off from "
                        + others.stream().map(each -> gateways.get(each).site()).toList());
                others.forEach(each -> cut(gateways, victim, each, true));
                return () -> others.forEach(each -> cut(gateways, victim, each, false));
            }
        }
    }

    private static void say(String what) {
        System.out.println("Accident: " + what);
    }

    private void cut(List<GatewayProcess> gateways, int one, int other, boolean on) {
        ways.get(one).shut(gateways.get(other).nodeId(), on);
        ways.get(other).shut(gateways.get(one).nodeId(), on);
    }

    private static void signal(GatewayProcess gateway, String signal) throws Exception {
        Process kill = new ProcessBuilder("kill", signal, Long.toString(gateway.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    private static void pass(int millis) {
        long began = System.nanoTime();
        Await.until("time to pass", () -> System.nanoTime() - began > millis * 1_000_000L);
    }
}
