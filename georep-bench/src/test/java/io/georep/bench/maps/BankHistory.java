package io.georep.bench.maps;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What the clients did and saw. Thread-safe while they run; judged afterwards. */
final class BankHistory {
    private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();
    private final Queue<BankAttempt> attempts = new ConcurrentLinkedQueue<>();
    private final Map<Thread, Long> open = new ConcurrentHashMap<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** This thread begins an attempt. */
    void asks(long began) {
        open.put(Thread.currentThread(), began);
    }

    void answered(BankAttempt attempt) {
        attempts.add(attempt);
        open.remove(Thread.currentThread());
    }

    /** Returns whether all attempts have ended that began before a time. */
    boolean isAnswered(long until) {
        return open.values().stream().allMatch(began -> began - until >= 0);
    }

    /** Returns the attempts that began between two times, in nanoseconds, and have ended. */
    List<BankAttempt> attempts(long from, long to) {
        return attempts.stream()
                .filter(each -> each.began() - from >= 0 && each.began() - to < 0)
                .toList();
    }

    /** A call that began then, perhaps with earlier attempts, has just got this answer. */
    void add(BankCall call, long began, String[] answer) {
        operations.add(new Operation(
                call.key(),
                call.way().kind(),
                call.value(),
                call.expected(),
                began,
                System.nanoTime(),
                Boolean.parseBoolean(answer[1]),
                BankCall.value(answer[2]),
                call.line()));
    }

    void failed(Throwable failure) {
        failures.add(failure);
    }

    Set<String> banks() {
        Set<String> banks = new TreeSet<>();
        operations.stream().filter(each -> each.kind() == Kind.TRANSFER).forEach(each -> banks.add(each.key()));
        return banks;
    }

    /** Returns the bank that money was moved in last. */
    String lastBank() {
        return operations.stream()
                .filter(each -> each.kind() == Kind.TRANSFER)
                .reduce((one, next) -> next)
                .orElseThrow()
                .key();
    }

    /** Throws if a promise was broken. Every write must be answered by now. */
    void judge() throws IOException {
        assertThat(failures).isEmpty();
        List<Operation> all = new ArrayList<>(operations);
        Map<String, int[]> moved = new HashMap<>();
        for (Operation each : all) {
            if (each.kind() == Kind.TRANSFER && each.applied()) {
                move(moved.computeIfAbsent(each.key(), bank -> Bank.amounts(null)), each.value());
            } else if (each.kind() == Kind.READ && each.key().startsWith("b")) {
                int[] amounts = Bank.amounts(each.seen());
                assertThat(IntStream.of(amounts).min().getAsInt())
                        .as("%s", each)
                        .isNotNegative();
                assertThat(IntStream.of(amounts).sum()).as("%s", each).isEqualTo(Bank.ACCOUNTS * Bank.OPENING);
            }
        }
        // What each bank holds in the end is the last that was read of it.
        Map<String, Operation> last = new HashMap<>();
        all.stream()
                .filter(each -> each.kind() == Kind.READ && moved.containsKey(each.key()))
                .forEach(each -> last.put(each.key(), each));
        moved.forEach((bank, amounts) -> assertThat(Bank.amounts(last.get(bank).seen()))
                .as("what %s holds in the end, by the transfers that were acknowledged", bank)
                .isEqualTo(amounts));
        Judge.check(all);
    }

    private static void move(int[] amounts, @Nullable String transfer) {
        String[] part = BankCall.text(transfer).split(",");
        int amount = Integer.parseInt(part[2]);
        amounts[Integer.parseInt(part[0])] -= amount;
        amounts[Integer.parseInt(part[1])] += amount;
    }

    int size() {
        return operations.size();
    }

    @Override
    public String toString() {
        return size() + " operations; attempts: " + BankAttempt.fates(attempts.stream());
    }
}
