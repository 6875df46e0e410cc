package io.georep.bench.maps;

import io.georep.bench.maps.BankCall.Way;
import io.georep.geopaxos.OperationNumber;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client, which moves money, looks at a bank, reads and writes a few keys: banks and keys that the clients of its group use, mostly at
 * the home of the group, but at any node. A write that is not answered is repeated under its number, mostly at another node, until it is.
 * All clients change to another bank and to other keys at the same times, so that each history stays short enough to be judged.
 */
final class BankClient implements Runnable, AutoCloseable {
    private static final int KEYS = 4;

    /** As many as a leaf of keys may have: what is before them and what is behind them is never in one. */
    private static final int BETWEEN = 64;

    private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int READ_MILLIS = 20_000;
    private static final int WRITE_MILLIS = 6_000;

    private final BankTrial trial;
    private final int group;
    private final BankLines nodes;
    private final Random random = new Random();
    private final long id = random.nextLong();
    private long number;
    private long acknowledged;
    private @Nullable String last;

    BankClient(BankTrial trial, int group) {
        this.trial = trial;
        this.group = group;
        nodes = trial.lines();
    }

    @Override
    public void close() {
        nodes.close();
    }

    @Override
    public void run() {
        try (nodes) {
            while (!trial.isStopped()) {
                operate(System.nanoTime() / AGE_NANOS, random.nextInt(100));
                TimeUnit.MICROSECONDS.sleep(1000 + random.nextInt(9000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            trial.history().failed(e);
        }
    }

    private static String bank(int group, long age) {
        return "b" + group + '.' + age;
    }

    private static String key(int group, long age, int number) {
        return "k" + group + '.' + age + '.' + number;
    }

    /** Returns keys in the leaves that the clients of a group use now and next. */
    static String[] used(int group) {
        long age = System.nanoTime() / AGE_NANOS;
        return new String[] {bank(group, age), "b" + group + ".~", key(group, age, 0), "k" + group + ".~"};
    }

    /** Writes keys between those of the groups, so that no leaf has keys of two groups for long. */
    void separate() throws InterruptedException {
        for (String kind : new String[] {"b", "k"}) {
            for (int between = 0; between < BETWEEN; between++) {
                write(Way.PUT, kind + group + '~' + (10 + between), "x", null);
            }
        }
    }

    private int node() {
        int home = trial.home(group);
        boolean isAtHome = random.nextInt(3) > 0 && home != BankTrial.NOBODY && !trial.isAvoided(home);
        return isAtHome ? home : trial.draw(random);
    }

    private void operate(long age, int draw) throws InterruptedException {
        String bank = bank(group, age);
        String key = key(group, age, random.nextInt(KEYS));
        String value = "v" + Long.toHexString(id) + "." + (number + 1);
        if (draw < 30) {
            int from = random.nextInt(Bank.ACCOUNTS);
            int to = (from + 1 + random.nextInt(Bank.ACCOUNTS - 1)) % Bank.ACCOUNTS;
            write(Way.TRANSFER, bank, from + "," + to + "," + (1 + random.nextInt(80)), null);
        } else if (draw < 40) {
            read(node(), Way.PAGE, bank);
        } else if (draw < 50) {
            read(node(), Way.AUDIT, bank);
        } else if (draw < 80) {
            last = read(node(), Way.GET, key);
        } else if (draw < 90) {
            write(Way.PUT, key, value, null);
        } else if (draw < 93) {
            write(Way.REMOVE, key, null, null);
        } else if (draw < 96) {
            write(Way.PUT_IF_ABSENT, key, value, null);
        } else {
            write(Way.REPLACE, key, value, last == null ? "nothing" : last);
        }
    }

    private String[] ask(int node, BankCall call, int patience) {
        long began = System.nanoTime();
        trial.history().asks(began);
        String[] answer = nodes.ask(node, call, patience);
        trial.history().answered(new BankAttempt(group, call.way(), node, began, System.nanoTime(), patience, answer));
        return answer;
    }

    /** Returns the value, or null. */
    @Nullable
    String read(int node, Way way, String key) {
        BankCall call = new BankCall(way, key, null, null, null);
        long began = System.nanoTime();
        String[] answer = ask(node, call, READ_MILLIS);
        if (!answer[0].equals("ok")) {
            return null;
        }
        trial.history().add(call, began, answer);
        return BankCall.value(answer[2]);
    }

    private void write(Way way, String key, @Nullable String value, @Nullable String expected)
            throws InterruptedException {
        BankCall call = numbered(way, key, value, expected);
        long began = System.nanoTime();
        int node = node();
        while (!attempt(node, call, began, random.nextInt(4) == 0 ? 1 + random.nextInt(300) : WRITE_MILLIS)) {
            node = trial.draw(random);
        }
    }

    private BankCall numbered(Way way, String key, @Nullable String value, @Nullable String expected) {
        acknowledged = random.nextInt(3) == 0 ? number : acknowledged;
        return new BankCall(way, key, value, expected, new OperationNumber(id, ++number, acknowledged));
    }

    private boolean attempt(int node, BankCall call, long began, int patience) throws InterruptedException {
        trial.waiting().put(Thread.currentThread(), call.line());
        String[] answer = ask(node, call, patience);
        trial.waiting().remove(Thread.currentThread());
        if (answer[0].equals("ok")) {
            trial.history().add(call, began, answer);
            return true;
        }
        TimeUnit.MILLISECONDS.sleep(10);
        return false;
    }

    /** Moves money by one node, however long that takes. */
    void transferAt(int node) throws InterruptedException {
        long began = System.nanoTime();
        BankCall call = numbered(Way.TRANSFER, bank(group, began / AGE_NANOS), "0,1,1", null);
        while (!attempt(node, call, began, WRITE_MILLIS)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** Asks a node for what belongs to no history. Returns the words of the answer. */
    String[] ask(int node, Way way, String key) {
        return ask(node, new BankCall(way, key, null, null, null), READ_MILLIS);
    }
}
