package io.georep.bench.maps;

import io.georep.GeoRepNode;
import io.georep.bench.process.Program;
import io.georep.geopaxos.OrderedMap;
import io.georep.geopaxos.OrderedMapSettings;
import io.georep.geopaxos.OrderedMapUnavailableException;
import io.georep.geopaxos.OrderedMaps;
import io.georep.geopaxos.TransactionFailedException;
import io.georep.model.ClosedException;
import io.georep.model.Durability;
import io.georep.model.NodeId;
import io.georep.model.RejectedException;
import io.georep.model.Slice;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A node with ordered maps as a process of its own. It makes the calls that others ask for, each connection one after the other. */
@Command(name = "BankNode")
final class BankNode implements Callable<Integer> {
    private static final int CONNECTIONS = 50;
    static final Duration CALL = Duration.ofSeconds(4);
    private static final Duration PLACEMENT = Duration.ofSeconds(1);

    @Mixin
    private final NodeOptions options = new NodeOptions();

    @Option(names = "--calls", required = true)
    private int calls;

    /** The voters of each group, with commas between them. */
    @Option(names = "--group", required = true)
    private List<String> groups = List.of();

    @Option(names = "--replicas", split = ",")
    private List<String> replicas = List.of();

    @Option(names = "--lease-millis", required = true)
    private int leaseMillis;

    private BankNode() {}

    /** Options: see {@link BankTrial}, which starts it. */
    public static void main(String[] args) {
        Program.run(new BankNode(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        // What a killed process has written is not lost, and disks of busy machines are slow.
        try (GeoRepNode node = options.builder()
                        .durability(Durability.OS)
                        .orderedMaps(settings())
                        .start();
                ServerSocket server = new ServerSocket(calls, CONNECTIONS, InetAddress.getLoopbackAddress())) {
            OrderedMaps maps = node.service(OrderedMaps.class);
            daemon(() -> accept(server, maps));
            options.awaitStop();
        }
        return 0;
    }

    private OrderedMapSettings settings() {
        OrderedMapSettings settings = OrderedMapSettings.of(groups.get(0).split(","))
                .replicas(replicas.toArray(String[]::new))
                .times(Duration.ofMillis(leaseMillis), CALL)
                .placement(PLACEMENT)
                .transactions(new Bank.Transfer(), new Bank.Audit());
        for (String more : groups.subList(1, groups.size())) {
            settings = settings.group(more.split(","));
        }
        return settings;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "calls");
        thread.setDaemon(true);
        thread.start();
    }

    private static void accept(ServerSocket server, OrderedMaps maps) {
        try {
            while (true) {
                Socket socket = server.accept();
                daemon(() -> serve(socket, maps));
            }
        } catch (IOException e) {
            return; // Closed.
        }
    }

    private static void serve(Socket socket, OrderedMaps maps) {
        try (socket;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            socket.setTcpNoDelay(true);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String answer = answer(BankCall.read(line), maps) + '\n';
                socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            return; // The client went away.
        }
    }

    private static String answer(BankCall call, OrderedMaps maps) {
        try {
            return ask(call, maps).toCompletableFuture().join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof TransactionFailedException) {
                return ok(false, null);
            }
            if (cause instanceof RejectedException rejected) {
                return "none " + rejected.reason();
            }
            boolean hadNoEffect = cause instanceof OrderedMapUnavailableException || cause instanceof ClosedException;
            return (hadNoEffect ? "none " : "unknown ") + cause.getClass().getSimpleName();
        }
    }

    private static String ok(boolean applied, @Nullable String seen) {
        return "ok " + applied + ' ' + BankCall.text(seen);
    }

    private static CompletionStage<String> ask(BankCall call, OrderedMaps maps) {
        OrderedMap<String, String> map = maps.map(Bank.MAP);
        String key = call.key();
        String value = BankCall.text(call.value());
        return switch (call.way()) {
            case GET -> map.get(key).thenApply(seen -> ok(true, seen));
            case PAGE ->
                map.range(key + '.', Bank.end(key), Bank.ACCOUNTS).thenApply(page -> ok(true, Bank.balances(page)));
            case AUDIT ->
                maps.call(new Bank.Audit(), key, call.number())
                        .thenApply(all -> ok(true, all.replace(",", "").isEmpty() ? null : all));
            case COUNT -> map.size().thenApply(all -> ok(true, all.toString()));
            case LEADER ->
                maps.readStatistics()
                        .thenApply(all -> ok(
                                true,
                                Objects.toString(
                                        all.groups().get(Integer.parseInt(key)).leader(), null)));
            case GROUPS ->
                maps.readPlacement(Bank.MAP.name(), Slice.of(key.getBytes(StandardCharsets.UTF_8)), 1)
                        .thenApply(page -> ok(
                                true, page.leaves().get(0).groups().toString().replace(" ", "")));
            case REPLACE_NODE ->
                maps.replace(NodeId.of(key), NodeId.of(value), false)
                        .handle((layout, error) ->
                                ok(error == null || String.valueOf(error).contains(key + " holds no"), null));
            case PUT -> map.put(key, value, call.number()).thenApply(done -> ok(true, null));
            case REMOVE -> map.remove(key, call.number()).thenApply(had -> ok(had, null));
            case PUT_IF_ABSENT -> map.putIfAbsent(key, value, call.number()).thenApply(seen -> ok(seen == null, seen));
            case REPLACE ->
                map.replace(key, BankCall.text(call.expected()), value, call.number())
                        .thenApply(was -> ok(was, null));
            case TRANSFER ->
                maps.call(new Bank.Transfer(), key + "," + value, call.number()).thenApply(left -> ok(true, left));
        };
    }
}
