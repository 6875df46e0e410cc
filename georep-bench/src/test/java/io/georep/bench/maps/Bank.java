package io.georep.bench.maps;

import io.georep.geopaxos.MapPage;
import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.MapTransaction;
import io.georep.spi.PayloadCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Banks in an ordered map. The accounts of a bank are {@code bank.0} to {@code bank.3}. One that is absent still has what it was opened with,
 * so nobody has to open it. What a bank holds is written as the checker reads it: balances with commas between them, nothing for an account
 * that is absent.
 */
final class Bank {
    static final int ACCOUNTS = 4;
    static final int OPENING = 100;
    static final MapSchema<String, String> MAP = new MapSchema<>("banks", PayloadCodec.string(), PayloadCodec.string());

    private Bank() {}

    private static String account(String bank, int number) {
        return bank + '.' + number;
    }

    /** The least key that no account of the bank has. */
    static String end(String bank) {
        return bank + '/';
    }

    private static int amount(@Nullable String balance) {
        return balance == null || balance.isEmpty() ? OPENING : Integer.parseInt(balance);
    }

    /** Returns the amounts on all accounts. */
    static int[] amounts(@Nullable String balances) {
        return balances == null
                ? IntStream.range(0, ACCOUNTS).map(each -> OPENING).toArray()
                : Arrays.stream(balances.split(",", -1)).mapToInt(Bank::amount).toArray();
    }

    static @Nullable String balances(MapPage<String, String> page) {
        String[] balances = new String[ACCOUNTS];
        Arrays.fill(balances, "");
        for (Map.Entry<String, String> entry : page.entries()) {
            String key = entry.getKey();
            balances[Integer.parseInt(key.substring(key.lastIndexOf('.') + 1))] = entry.getValue();
        }
        return page.entries().isEmpty() ? null : String.join(",", balances);
    }

    private abstract static class OnBank implements MapTransaction<String, String> {
        @Override
        public int version() {
            return 1;
        }

        @Override
        public PayloadCodec<String> arguments() {
            return PayloadCodec.string();
        }

        @Override
        public PayloadCodec<String> results() {
            return PayloadCodec.string();
        }
    }

    /** The argument is {@code bank,from,to,amount}, the result what is left. Fails if that would be less than nothing. */
    static final class Transfer extends OnBank {
        @Override
        public String name() {
            return "transfer";
        }

        private static String account(String[] argument, int which) {
            return Bank.account(argument[0], Integer.parseInt(argument[which]));
        }

        @Override
        public void declare(String argument, Keys keys) {
            String[] part = argument.split(",");
            keys.writes(MAP, account(part, 1));
            keys.writes(MAP, account(part, 2));
        }

        @Override
        public String execute(String argument, View view) {
            String[] part = argument.split(",");
            int amount = Integer.parseInt(part[3]);
            int left = amount(view.get(MAP, account(part, 1))) - amount;
            view.put(MAP, account(part, 1), Integer.toString(left));
            view.put(MAP, account(part, 2), Integer.toString(amount(view.get(MAP, account(part, 2))) + amount));
            if (left < 0) {
                throw new IllegalStateException("not enough");
            }
            return Integer.toString(left);
        }
    }

    /** The argument is a bank, the result what it holds. */
    static final class Audit extends OnBank {
        @Override
        public String name() {
            return "audit";
        }

        @Override
        public void declare(String bank, Keys keys) {
            IntStream.range(0, ACCOUNTS).forEach(each -> keys.reads(MAP, account(bank, each)));
        }

        @Override
        public String execute(String bank, View view) {
            List<String> balances = new ArrayList<>();
            for (int each = 0; each < ACCOUNTS; each++) {
                String balance = view.get(MAP, account(bank, each));
                balances.add(balance == null ? "" : balance);
            }
            return String.join(",", balances);
        }
    }
}
