package io.georep.examples.fleet;

import io.georep.flagons.FleetMapSettings;
import io.georep.testing.LocalNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletionException;

/** An office changes prices and blocks cards, tills ask for them, and all the time tills are replaced. */
final class FleetDemo {
    private static final List<String> ARTICLES = List.of("bread", "butter", "coffee", "milk", "tea", "water");
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int STEP_MILLIS = 50;
    private static final int FIRST = 2;
    private static final int STEPS_MIN = 40;

    private final DemoOptions options;
    private final long startNanos = System.nanoTime();
    private final LocalNetwork network = new LocalNetwork();
    private final Account account = new Account();
    private final List<Till> tills = new ArrayList<>();
    private final Random random = new Random(7);
    private int port = 1000;
    private int backwards;

    FleetDemo(DemoOptions options) {
        this.options = options;
    }

    /** Returns the exit code: 0 only if no till was wrong, and all of them know all at the end. */
    int run() throws InterruptedException {
        Till office = till(FleetMapSettings.founder());
        try {
            event("the office has founded a fleet");
            // A few first: who joins is quicker when several nodes have everything already.
            for (int size : new int[] {FIRST, options.tills()}) {
                while (tills.size() < size) {
                    tills.add(till(member()));
                }
                await("answer for the keys of their groups", Till::isComplete);
            }
            event("%d tills have joined it", options.tills());
            double seconds = trade(office);
            event("%d tills were replaced in %.0f seconds", options.replaced(), seconds);
            await("know the last prices", this::knowsAllPrices);
            await("know the blocked cards", this::knowsAllCards);
            return report();
        } finally {
            tills.forEach(till -> till.node.halt());
            office.node.halt();
        }
    }

    private Till till(FleetMapSettings settings) {
        return Till.start(network.transports(), port++, settings.nodes(300), ARTICLES);
    }

    /** The office is always there, and two others that are now. */
    private FleetMapSettings member() {
        List<String> seeds = new ArrayList<>(List.of("till:1000"));
        for (int i = 0; i < 2 && !tills.isEmpty(); i++) {
            String seed = any().node.identity().address();
            if (!seeds.contains(seed)) {
                seeds.add(seed);
            }
        }
        return FleetMapSettings.member(seeds.toArray(String[]::new));
    }

    private Till any() {
        return tills.get(random.nextInt(tills.size()));
    }

    private double trade(Till office) throws InterruptedException {
        long begun = System.nanoTime();
        int replaced = 0;
        for (int step = 0; replaced < options.replaced() || step < STEPS_MIN; step++) {
            double seconds = (System.nanoTime() - begun) / 1e9;
            if (replaced < options.replaced() && replaced < seconds * options.perSecond()) {
                replace(replaced);
                replaced++;
                if (replaced % Math.max(1, options.replaced() / 5) == 0) {
                    event(
                            "%d replaced; %,d checks of cards, %d unsure",
                            replaced, account.checks.get(), account.unsure.get());
                }
            }
            if (step % 20 == 0) {
                price(office, ARTICLES.get(random.nextInt(ARTICLES.size())), 50 + random.nextInt(500));
            }
            if (step % 10 == 5) {
                block(any(), String.format(Locale.ROOT, "B%04d", step));
            }
            check(any());
            Thread.sleep(STEP_MILLIS);
        }
        return (System.nanoTime() - begun) / 1e9;
    }

    /** Half of them die, the others are switched off. */
    private void replace(int number) {
        Till old = tills.remove(0);
        backwards += old.backwards();
        if (number % 2 == 0) {
            old.node.halt();
        } else {
            old.node.close(Duration.ZERO);
        }
        tills.add(till(member()));
    }

    private void price(Till office, String article, int cents) {
        String text = String.format(Locale.ROOT, "%d.%02d", cents / 100, cents % 100);
        office.prices.put(article, text).whenComplete((put, error) -> {
            if (error == null) {
                account.priced(article, put.place(), text);
            } else {
                account.unknown.incrementAndGet();
            }
        });
    }

    private void block(Till till, String card) {
        till.cards.putIfAbsent(card, "lost").whenComplete((put, error) -> {
            if (error == null) {
                account.blocked(card);
            } else {
                account.unknown.incrementAndGet(); // the till has ended, or its answer was lost with another one
            }
        });
    }

    private void check(Till till) {
        List<String> blocked = account.blockedCards();
        boolean isGood = blocked.isEmpty() || random.nextBoolean();
        String card = isGood ? "G" + random.nextInt(1000) : blocked.get(random.nextInt(blocked.size()));
        long begun = System.nanoTime();
        till.check(card).whenComplete((answer, error) -> {
            if (error == null) {
                account.checked(till.node.identity().address(), card, answer, begun);
            }
        });
    }

    private boolean knowsAllPrices(Till till) {
        return account.areLast(till::price);
    }

    private boolean knowsAllCards(Till till) {
        List<String> blocked = account.blockedCards();
        for (int i = 0; i < 3 && !blocked.isEmpty(); i++) {
            String card = blocked.get(random.nextInt(blocked.size()));
            if (till.check(card).toCompletableFuture().join() != Till.Card.BLOCKED) {
                return false;
            }
        }
        return true;
    }

    /** What is asked of all tills. */
    private interface Question {
        boolean isTrue(Till till);
    }

    private void await(String what, Question question) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        List<Till> left = new ArrayList<>(tills);
        while (!left.isEmpty()) {
            left.removeIf(till -> {
                try {
                    return question.isTrue(till);
                } catch (CompletionException e) {
                    return false;
                }
            });
            if (System.nanoTime() > until) {
                throw new IllegalStateException(left.size() + " tills do not " + what + " after " + PATIENCE);
            }
            Thread.sleep(STEP_MILLIS);
        }
    }

    private int report() {
        tills.forEach(till -> backwards += till.backwards());
        System.out.println();
        row("tills at any time", "%d", options.tills());
        row("tills replaced", "%d", options.replaced());
        row("prices changed", "%d", account.priceChanges.get());
        row("cards blocked", "%d", account.blockedCards().size());
        row("changes without an outcome", "%d", account.unknown.get());
        row("checks of cards", "%,d", account.checks.get());
        row("checks that were unsure", "%d", account.unsure.get());
        row("wrong answers", "%d", account.wrong.size());
        row("prices that went back", "%d", backwards);
        row("check p50", "%.1f ms", account.percentile(0.5));
        row("check p99", "%.1f ms", account.percentile(0.99));
        System.out.println();
        account.wrong.forEach(each -> System.out.println("WRONG: " + each));
        if (!account.wrong.isEmpty() || backwards > 0 || account.checks.get() == 0) {
            System.out.println("FAILED");
            return 1;
        }
        System.out.println("All tills know all prices and blocked cards, and none was wrong.");
        return 0;
    }

    private void event(String format, Object... arguments) {
        System.out.printf(
                Locale.ROOT,
                "%7.2f s  %s%n",
                (System.nanoTime() - startNanos) / 1e9,
                String.format(Locale.ROOT, format, arguments));
    }

    private static void row(String name, String format, Object value) {
        System.out.printf(Locale.ROOT, "  %-44s %12s%n", name, String.format(Locale.ROOT, format, value));
    }
}
