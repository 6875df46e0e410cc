package io.georep.bench.maps;

import io.georep.bench.maps.BankCall.Way;
import io.georep.geopaxos.OperationNumber;
import java.util.Random;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One client, which asks any node: moves money, looks at a bank, reads and writes a few keys. A write that is not answered is repeated under
 * its number, mostly at another node, until it is. All clients change to another bank and to other keys at the same times, so that each
 * history stays short enough to be judged.
 */
final class BankClient implements Runnable {
    private static final int KEYS = 4;
    private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int READ_MILLIS = 20_000;
    private static final int WRITE_MILLIS = 6_000;

    private final BankLines nodes;
    private final BankHistory history;
    private final ConcurrentMap<Thread, String> waiting;
    private final BooleanSupplier stopped;
    private final Random random;
    private final long id;
    private long number;
    private long acknowledged;
    private @Nullable String last;

    BankClient(BankLines nodes, BankHistory history, ConcurrentMap<Thread, String> waiting, BooleanSupplier stopped) {
        this.nodes = nodes;
        this.history = history;
        this.waiting = waiting;
        this.stopped = stopped;
        random = new Random();
        id = random.nextLong();
    }

    @Override
    public void run() {
        try (nodes) {
            while (!stopped.getAsBoolean()) {
                operate(System.nanoTime() / AGE_NANOS, random.nextInt(100));
                TimeUnit.MICROSECONDS.sleep(1000 + random.nextInt(9000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            history.failed(e);
        }
    }

    private void operate(long age, int draw) throws InterruptedException {
        String bank = "b" + age;
        String key = "k" + age + "." + random.nextInt(KEYS);
        String value = "v" + Long.toHexString(id) + "." + (number + 1);
        if (draw < 30) {
            int from = random.nextInt(Bank.ACCOUNTS);
            int to = (from + 1 + random.nextInt(Bank.ACCOUNTS - 1)) % Bank.ACCOUNTS;
            write(Way.TRANSFER, bank, from + "," + to + "," + (1 + random.nextInt(80)), null);
        } else if (draw < 40) {
            read(random.nextInt(MapCluster.NODES), Way.PAGE, bank);
        } else if (draw < 50) {
            read(random.nextInt(MapCluster.NODES), Way.AUDIT, bank);
        } else if (draw < 80) {
            last = read(random.nextInt(MapCluster.NODES), Way.GET, key);
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

    /** Returns the value, or null. */
    @Nullable
    String read(int node, Way way, String key) {
        BankCall call = new BankCall(way, key, null, null, null);
        long began = System.nanoTime();
        String[] answer = nodes.ask(node, call, READ_MILLIS);
        history.answered(way, answer);
        if (!answer[0].equals("ok")) {
            return null;
        }
        history.add(call, began, answer);
        return BankCall.value(answer[2]);
    }

    private void write(Way way, String key, @Nullable String value, @Nullable String expected)
            throws InterruptedException {
        BankCall call = numbered(way, key, value, expected);
        long began = System.nanoTime();
        while (true) {
            int patience = random.nextInt(4) == 0 ? 1 + random.nextInt(300) : WRITE_MILLIS;
            if (attempt(random.nextInt(MapCluster.NODES), call, began, patience)) {
                return;
            }
        }
    }

    private BankCall numbered(Way way, String key, @Nullable String value, @Nullable String expected) {
        acknowledged = random.nextInt(3) == 0 ? number : acknowledged;
        return new BankCall(way, key, value, expected, new OperationNumber(id, ++number, acknowledged));
    }

    private boolean attempt(int node, BankCall call, long began, int patience) throws InterruptedException {
        waiting.put(Thread.currentThread(), call.line());
        String[] answer = nodes.ask(node, call, patience);
        history.answered(call.way(), answer);
        waiting.remove(Thread.currentThread());
        if (answer[0].equals("ok")) {
            history.add(call, began, answer);
            return true;
        }
        TimeUnit.MILLISECONDS.sleep(10);
        return false;
    }

    /** Moves money by one node, however long that takes. */
    void transferAt(int node) throws InterruptedException {
        long began = System.nanoTime();
        BankCall call = numbered(Way.TRANSFER, "b" + began / AGE_NANOS, "0,1,1", null);
        while (!attempt(node, call, began, WRITE_MILLIS)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** Returns whether a node says that it cannot read now. */
    boolean isRefused(int node) {
        BankCall call = new BankCall(Way.GET, "k", null, null, null);
        String[] answer = nodes.ask(node, call, READ_MILLIS);
        history.answered(Way.GET, answer);
        return answer[0].equals("none");
    }
}
