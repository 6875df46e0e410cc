package io.georep.simulation;

import io.georep.model.EntryId;
import io.georep.model.RejectedException;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/** The application in one process: sends what producers put, and forwards what its node holds to the consumer. */
final class Application {
    /** How many times longer a slow application works on an entry. */
    static final int SLOWER = 20;

    private static final int DEAD_LETTERS_PAGE = 10;

    /** How long an entry waits at most for its delay, its next attempt, or a handler that is paused. */
    private static final int WAIT_HEARTBEATS = 40;

    private static final long BACK_OFF = World.SECONDS;
    private static final int ATTEMPTS_MAX = 12;

    private final OutboxWing outbox;
    private final Host host;
    private final int boot;
    private final RandomGenerator random;
    private final SimulationOptions.ConsumerModel model;

    /** Entries handed to this application and not given back in any way. */
    private final TreeSet<EntryId> inHand = new TreeSet<>();

    /** Entries in hand that no handler has yet. */
    private final TreeMap<EntryId, OutboxEvent.Delivered> waiting = new TreeMap<>();

    /** How many attempts have failed, of entries in hand. */
    private final Map<EntryId, Integer> failed = new HashMap<>();

    /** Entries whose payload was asked for once more. */
    private final TreeSet<EntryId> rereading = new TreeSet<>();

    private final List<EntryId> accepted = new ArrayList<>();
    private final Transactions transactions;
    private boolean markPlanned;
    private boolean quiet;

    Application(OutboxWing outbox, Host host, int boot, RandomGenerator random) {
        this.outbox = outbox;
        this.host = host;
        this.boot = boot;
        this.random = random;
        this.model = outbox.options().consumer;
        this.transactions = new Transactions(outbox, host, random);
    }

    int boot() {
        return boot;
    }

    /** The node is up: ask for work. */
    void start() {
        if (host.adoptionRefused) {
            host.command(new OutboxCommand.AllowAdoption(false));
        }
        Breadth breadth = outbox.options().breadth;
        if (breadth.handsOver(host.id())) {
            outbox.queues()
                    .forEach(queue -> host.command(
                            new OutboxCommand.HandOver(queue, candidate -> !breadth.handsOver(candidate.id()))));
        }
        if (!host.idle) {
            open();
        }
    }

    /** Takes entries from now on. */
    void open() {
        outbox.queues().forEach(this::open);
    }

    /** Takes entries of a queue from now on. */
    void open(String queue) {
        host.command(new OutboxCommand.Credit(queue, model.window()));
    }

    /** Whether it has this entry in hand, and asked for its payload once more. */
    boolean rereads(EntryId id) {
        return rereading.contains(id);
    }

    /** Begins no more work. */
    void quiesce() {
        quiet = true;
    }

    /** Puts entries. */
    void put(List<History.Put> puts) {
        List<OutboxCommand.Put> commands = new ArrayList<>();
        for (History.Put put : puts) {
            commands.add(new OutboxCommand.Put(
                    put.queue,
                    put.f,
                    History.payload(put, random.nextInt(random.nextInt(8) == 0 ? 2000 : 100)),
                    put,
                    put.prepared));
        }
        host.command(new OutboxCommand.PutAll(commands));
    }

    void event(Object event) {
        if (event instanceof OutboxEvent.Stored stored) {
            for (int i = 0; i < stored.puts().size(); i++) {
                History.Put put = (History.Put) stored.puts().get(i).token();
                outbox.history().identify(new EntryId(stored.stream(), stored.first() + i), put);
                answer(put, History.Answer.STORED);
                transactions.stored(put);
            }
        } else if (event instanceof OutboxEvent.PutFailed failed) {
            boolean rejected = failed.cause() instanceof RejectedException;
            for (OutboxCommand.Put put : failed.puts()) {
                ((History.Put) put.token()).cause = failed.cause().getMessage();
                answer((History.Put) put.token(), rejected ? History.Answer.REJECTED : History.Answer.INDETERMINATE);
                transactions.failed((History.Put) put.token());
            }
        } else if (event instanceof OutboxEvent.Deliver deliver) {
            deliver.entries().forEach(entry -> deliver(deliver.queue(), entry));
        } else if (event instanceof OutboxEvent.EndRefused refused) {
            // Of a limited one the CLAIM that goes ahead counts as little (6.19.2).
            if (!host.membership().find(refused.from()).limited()) {
                throw new AssertionError("an honest word was not believed at " + host + ": " + refused);
            }
        } else if (event instanceof OutboxEvent.Recall recall) {
            recalled(recall);
        } else if (event instanceof OutboxEvent.DeadLetterPage letters) {
            deadLetters((String) letters.token(), letters.letters());
        } else if (event instanceof OutboxEvent.UndecidedFound found) {
            transactions.read(found.queue());
        } else if (event instanceof OutboxEvent.Undecided undecided) {
            transactions.undecided(undecided.entries());
        }
    }

    private void answer(History.Put put, History.Answer answer) {
        InvariantViolation.check(
                put.answer == History.Answer.OPEN && put.boot == boot && put.node.equals(host.id()),
                "one answer",
                () -> put + " is answered " + answer + " at " + host.id() + "#" + boot);
        put.answer = answer;
    }

    private void deliver(String queue, OutboxEvent.Delivered entry) {
        EntryId id = entry.id();
        History.Put put = outbox.history().putOf(entry.payload());
        History.Entry known = outbox.history().identify(id, put);
        InvariantViolation.check(
                put.answer != History.Answer.REJECTED,
                "I7",
                () -> known + " was rejected, and is handed out at " + host);
        InvariantViolation.check(
                !put.prepared || put.decision == History.Decision.COMMITTED,
                "I21",
                () -> known + " was not committed, and is handed out at " + host);
        InvariantViolation.check(
                entry.attempts() <= known.failures,
                "attempts",
                () -> known + " comes with " + entry.attempts() + " failed attempts at " + host + ", of which "
                        + known.failures + " took place");
        InvariantViolation.check(put.queue.equals(queue), "queue", () -> known + " comes in queue " + queue);
        boolean again = rereading.remove(id);
        InvariantViolation.check(
                inHand.add(id) != again, "I10", () -> known + " is handed out twice at " + host + "#" + boot);
        work(queue, entry, known);
    }

    private void work(String queue, OutboxEvent.Delivered handed, History.Entry entry) {
        // With nothing left to go wrong, waiting would only take long.
        long nanos = 1 + random.nextLong(outbox.cluster().isHealed() ? World.MILLIS : model.workNanos());
        boolean waits =
                !outbox.cluster().isHealed() && model.waitPercent() > 0 && random.nextInt(100) < model.waitPercent();
        long wait = waits
                ? (1 + random.nextInt(WAIT_HEARTBEATS))
                        * outbox.options().config.heartbeat().toNanos()
                : 0;
        if (waits) {
            waiting.put(handed.id(), handed);
        }
        host.later(host.slow ? nanos * SLOWER + 5 * World.SECONDS : nanos + wait, () -> {
            boolean given = waits && !waiting.remove(handed.id(), handed);
            if (!quiet && !given) {
                finish(queue, handed, entry);
            }
        });
    }

    /** What waits for its time, or for those before it in the window, goes back; what a handler has does not. */
    private void recalled(OutboxEvent.Recall recall) {
        List<EntryId> back = waiting.keySet().stream()
                .filter(recall.entries()::contains)
                .filter(id -> !rereading.contains(id))
                .toList();
        if (back.isEmpty()) {
            return;
        }
        back.forEach(waiting::remove);
        back.forEach(inHand::remove);
        List<EntryId> tried =
                back.stream().filter(id -> failed.remove(id) != null).toList();
        List<EntryId> untouched =
                back.stream().filter(id -> !tried.contains(id)).toList();
        host.command(new OutboxCommand.Return(untouched, tried));
        host.command(new OutboxCommand.Credit(recall.queue(), back.size()));
    }

    private void finish(String queue, OutboxEvent.Delivered handed, History.Entry entry) {
        EntryId id = handed.id();
        if (entry.put.expiresAtMillis > 0 && host.node().clock().wallMillis() >= entry.put.expiresAtMillis) {
            entry.disposed = true;
            failed.remove(id);
            inHand.remove(id);
            host.command(new OutboxCommand.Forwarded(List.of(id)));
            host.command(new OutboxCommand.Credit(queue, 1));
            return;
        }
        if (outbox.consumer().isDown && !rereading.contains(id)) {
            retry(queue, handed, entry);
            return;
        }
        Integer before = failed.remove(id);
        int attempts = 1 + (before == null ? handed.attempts() : before);
        int lot = random.nextInt(100);
        int returns = outbox.cluster().isHealed() ? 0 : model.returnPercent();
        int dead = outbox.cluster().isHealed() ? 0 : host.givesUp ? 100 : model.deadPercent();
        if (lot < returns) {
            inHand.remove(id);
            entry.failures = Math.max(entry.failures, attempts);
            host.command(new OutboxCommand.Failed(List.of(new OutboxCommand.Failure(id, attempts))));
            host.command(new OutboxCommand.Return(List.of(), List.of(id)));
        } else if (lot < returns + dead) {
            inHand.remove(id);
            entry.failures = Math.max(entry.failures, attempts);
            host.command(new OutboxCommand.MakeDeadLetter(id, attempts, "refused"));
        } else if (lot < returns + dead + model.rereadPercent() && rereading.add(id)) {
            host.command(new OutboxCommand.Reread(List.of(id)));
            return;
        } else {
            accept(handed, entry);
        }
        host.command(new OutboxCommand.Credit(queue, 1));
    }

    /** An attempt failed: the next one follows later, unless there were too many. */
    private void retry(String queue, OutboxEvent.Delivered handed, History.Entry entry) {
        EntryId id = handed.id();
        int attempts = failed.merge(id, handed.attempts() + 1, (before, first) -> before + 1);
        entry.failures = Math.max(entry.failures, attempts);
        if (attempts > ATTEMPTS_MAX) {
            failed.remove(id);
            inHand.remove(id);
            host.command(new OutboxCommand.MakeDeadLetter(id, attempts, "refused"));
            host.command(new OutboxCommand.Credit(queue, 1));
            return;
        }
        host.command(new OutboxCommand.Failed(List.of(new OutboxCommand.Failure(id, attempts))));
        waiting.put(id, handed);
        long pause = BACK_OFF * (1 + random.nextInt(1 << Math.min(attempts, 5)));
        host.later(pause, () -> {
            if (!quiet && waiting.remove(id, handed)) {
                finish(queue, handed, entry);
            }
        });
    }

    /** The time at work stands for that in the window of the node: the handler itself takes none. */
    private void accept(OutboxEvent.Delivered handed, History.Entry entry) {
        NodeClock clock = host.node().clock();
        outbox.consumer().accept(entry, host, boot, handed.causeAt(clock.nanos(), clock.wallMillis()) != null);
        accepted.add(handed.id());
        Runnable next = host.afterAccept;
        if (next != null) {
            host.afterAccept = null;
            next.run();
            return;
        }
        if (!markPlanned) {
            markPlanned = true;
            host.later(model.markNanos(), () -> {
                markPlanned = false;
                inHand.removeAll(accepted);
                host.command(new OutboxCommand.Forwarded(List.copyOf(accepted)));
                accepted.clear();
            });
        }
    }

    /** Looks after what waits for an operator: dead letters, and entries whose transaction ended unseen. */
    void lookAfter(String queue) {
        transactions.read(queue);
        host.command(new OutboxCommand.ListDeadLetters(queue, null, DEAD_LETTERS_PAGE, queue));
    }

    private void deadLetters(String queue, List<OutboxEvent.DeadLetter> letters) {
        for (OutboxEvent.DeadLetter letter : letters) {
            History.Entry entry =
                    outbox.history().identify(letter.id(), outbox.history().putOf(letter.payload()));
            if (random.nextInt(4) == 0) {
                entry.disposed = true;
                host.command(new OutboxCommand.DeleteDeadLetters(queue, List.of(letter.id()), ""));
            } else {
                host.command(new OutboxCommand.ReplayDeadLetters(queue, List.of(letter.id()), ""));
            }
        }
    }
}
