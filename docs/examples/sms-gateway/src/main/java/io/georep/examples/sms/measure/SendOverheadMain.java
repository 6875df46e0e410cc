package io.georep.examples.sms.measure;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import io.georep.examples.sms.demo.Latencies;
import io.georep.model.EntryId;
import io.georep.model.Slice;
import io.georep.outbox.Outbox;
import io.georep.spi.PayloadCodec;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * Latency of {@code send} through the starter against the plain API: the same node, the same JSON, pairs of rounds in
 * turn. Printed are medians over the rounds.
 *
 * <p>Arguments: sends per round (1000), pairs of rounds (40), then properties like {@code georep.durability=memory}.
 */
public final class SendOverheadMain {
    private static final int WINDOW = 64;

    private SendOverheadMain() {}

    /** Measures and prints. */
    public static void main(String[] arguments) throws IOException {
        int sends = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 40;
        try (MeasuredNodes nodes = MeasuredNodes.start(false, Arguments.from(2, arguments))) {
            Outbox<Sms> starter = nodes.outboxes().outbox("starter", Sms.class);
            Outbox<Sms> plain =
                    nodes.node(0).outbox("plain", new JsonCodec(nodes.bean(JsonMapper.class)), options -> options.f(1));
            starter.forward(delivery -> {});
            plain.forward(delivery -> {});
            for (int window : new int[] {1, WINDOW}) {
                compare(starter, plain, sends, rounds, window);
            }
        }
        System.exit(0);
    }

    private static void compare(Outbox<Sms> starter, Outbox<Sms> plain, int sends, int rounds, int window) {
        round(starter, sends, window);
        round(plain, sends, window);
        List<Latencies> ofStarter = new ArrayList<>();
        List<Latencies> ofPlain = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            // Whoever comes second profits from what the first has warmed up: take turns.
            if (i % 2 == 0) {
                ofStarter.add(round(starter, sends, window));
                ofPlain.add(round(plain, sends, window));
            } else {
                ofPlain.add(round(plain, sends, window));
                ofStarter.add(round(starter, sends, window));
            }
        }
        for (double part : new double[] {0.5, 0.99}) {
            report(ofStarter, ofPlain, window, part);
        }
    }

    /** The two rounds of a pair see the same machine, so their ratio says more than the figures over all rounds. */
    private static void report(List<Latencies> ofStarter, List<Latencies> ofPlain, int window, double part) {
        int rounds = ofStarter.size();
        double[] with = new double[rounds];
        double[] without = new double[rounds];
        double[] overhead = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            with[i] = ofStarter.get(i).percentile(part) / 1e3;
            without[i] = ofPlain.get(i).percentile(part) / 1e3;
            overhead[i] = 100 * (with[i] / without[i] - 1);
        }
        Stream.of(with, without, overhead).forEach(Arrays::sort);
        System.out.printf(
                Locale.ROOT,
                "send, %2d at a time, p%.0f: starter %8.1f µs, plain API %8.1f µs, overhead %+.1f %% (quartiles %+.1f, %+.1f)%n",
                window,
                part * 100,
                with[rounds / 2],
                without[rounds / 2],
                overhead[rounds / 2],
                overhead[rounds / 4],
                overhead[rounds * 3 / 4]);
    }

    private static Latencies round(Outbox<Sms> outbox, int sends, int window) {
        Latencies latencies = new Latencies(sends);
        Sms sms = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234567"), "x".repeat(100), false);
        Queue<CompletableFuture<EntryId>> open = new ArrayDeque<>();
        for (int i = 0; i < sends; i++) {
            if (open.size() == window) {
                open.remove().join();
            }
            long begin = System.nanoTime();
            open.add(outbox.send(sms)
                    .whenComplete((id, error) -> latencies.add(System.nanoTime() - begin))
                    .toCompletableFuture());
        }
        open.forEach(CompletableFuture::join);
        return latencies;
    }

    /** The same bytes as the starter's codec writes. */
    private record JsonCodec(JsonMapper mapper) implements PayloadCodec<Sms> {
        @Override
        public byte[] encode(Sms payload) {
            return mapper.writeValueAsBytes(payload);
        }

        @Override
        public Sms decode(Slice bytes) {
            return mapper.readValue(bytes.array(), bytes.offset(), bytes.length(), Sms.class);
        }
    }
}
