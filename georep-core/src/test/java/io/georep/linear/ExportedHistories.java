package io.georep.linear;

import io.georep.linear.Operation.Kind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random histories of one key, right ones and such with a wrong answer, written to a file together with what {@link Linearizability} says
 * of each. {@code .ci/linear} has another checker look at them. In one of four histories the key is a bank.
 */
final class ExportedHistories {
    private static final String FILE = System.getProperty("georep.linear.export");

    private ExportedHistories() {}

    /** Adds a history of one key to the file that is asked for, if one is. */
    static void add(List<Operation> history, boolean holds) {
        if (FILE == null) {
            return;
        }
        try (PrintWriter out = new PrintWriter(
                Files.newBufferedWriter(Path.of(FILE), StandardOpenOption.CREATE, StandardOpenOption.APPEND))) {
            write(out, history.get(0).key(), history, holds);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(PrintWriter out, String name, List<Operation> history, boolean holds) {
        out.println("history\t" + name + "\t" + (holds ? "right" : "wrong"));
        history.forEach(each -> out.println(each.line()));
    }

    /** Returns a history in which each operation took effect at one moment; in every other one an answer is changed afterwards. */
    static List<Operation> history(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Operation> history = new ArrayList<>();
        int count = 4 + random.nextInt(20);
        int spread = 1 + random.nextInt(60);
        String state = null;
        for (int i = 0; i < count; i++) {
            // Effects happen at 100, 200, 300 and so on; the times around them are never equal.
            long effect = 100L * (i + 1);
            long from = 2 * (effect - random.nextInt(10 * spread)) * count + i;
            long to = 2 * (effect + 1 + random.nextInt(10 * spread)) * count + i;
            Operation drawn = seed % 4 == 3 ? drawOfBank(random, i, from, to, state) : draw(random, i, from, to, state);
            if (drawn.isAnswered() || random.nextBoolean()) {
                state = drawn.after(state);
            }
            history.add(drawn);
        }
        if (random.nextBoolean()) {
            int at = random.nextInt(count);
            history.set(at, changed(history.get(at), random));
        }
        return history;
    }

    private static Operation draw(SplittableRandom random, int number, long from, long to, String state) {
        Kind kind = Kind.values()[random.nextInt(Kind.TRANSFER.ordinal())];
        String value = "v" + (random.nextInt(6) == 0 ? random.nextInt(number + 1) : number);
        String expected = kind != Kind.REPLACE ? null : state == null || random.nextInt(3) == 0 ? "v0" : state;
        boolean isOpen = kind == Kind.EXPIRE || (kind != Kind.READ && random.nextInt(6) == 0);
        if (kind == Kind.EXPIRE) {
            value = state == null ? "v0" : state;
        }
        boolean applied = kind == Kind.REMOVE ? state != null : kind == Kind.REPLACE && expected.equals(state);
        return new Operation(
                "k",
                kind,
                kind == Kind.READ || kind == Kind.REMOVE ? null : value,
                expected,
                from,
                isOpen ? Operation.NEVER : to,
                applied,
                kind == Kind.READ || kind == Kind.PUT_IF_ABSENT ? state : null,
                "p" + number);
    }

    private static Operation drawOfBank(SplittableRandom random, int number, long from, long to, String state) {
        boolean isRead = random.nextInt(3) == 0;
        int payer = random.nextInt(4);
        String transfer = payer + "," + (payer + 1 + random.nextInt(3)) % 4 + "," + (1 + random.nextInt(90));
        Kind kind = isRead ? Kind.READ : Kind.TRANSFER;
        Operation asked = new Operation("k", kind, isRead ? null : transfer, null, from, to, false, null, "p" + number);
        String seen = isRead ? state : asked.left(state);
        boolean isOpen = !isRead && random.nextInt(6) == 0;
        return new Operation(
                "k",
                kind,
                asked.value(),
                null,
                from,
                isOpen ? Operation.NEVER : to,
                !isRead && seen != null,
                isOpen ? null : seen,
                asked.who());
    }

    private static Operation changed(Operation old, SplittableRandom random) {
        if (old.kind() == Kind.TRANSFER) {
            boolean applied = random.nextBoolean();
            String left = applied ? Integer.toString(random.nextInt(Operation.OPENING)) : null;
            return new Operation(
                    old.key(), old.kind(), old.value(), null, old.invoked(), old.answered(), applied, left, old.who());
        }
        String seen = old.kind() == Kind.READ || old.kind() == Kind.PUT_IF_ABSENT
                ? random.nextInt(4) == 0 ? null : "v" + random.nextInt(8)
                : null;
        boolean applied = (old.kind() == Kind.REMOVE || old.kind() == Kind.REPLACE) != old.applied();
        return new Operation(
                old.key(),
                old.kind(),
                old.value(),
                old.expected(),
                old.invoked(),
                old.answered(),
                applied,
                seen,
                old.who());
    }

    /** Writes them: {@code file count}. */
    public static void main(String[] arguments) throws IOException {
        int wrong = 0;
        int count = Integer.parseInt(arguments[1]);
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(arguments[0])))) {
            for (int seed = 0; seed < count; seed++) {
                List<Operation> history = history(seed);
                boolean holds = Linearizability.holds(history);
                wrong += holds ? 0 : 1;
                write(out, Integer.toString(seed), history, holds);
            }
        }
        System.out.println(count + " histories, " + wrong + " of them wrong");
    }
}
