package io.georep.geopaxos;

import io.georep.spi.PayloadCodec;

/** Moves money between two accounts: the argument is {@code from,to,amount}, the result what is left. */
final class Transfer implements TextTransaction {
    static final MapSchema<String, String> ACCOUNTS =
            new MapSchema<>("accounts", PayloadCodec.string(), PayloadCodec.string());

    @Override
    public String name() {
        return "transfer";
    }

    @Override
    public void declare(String argument, Keys keys) {
        String[] parts = argument.split(",");
        keys.writes(ACCOUNTS, parts[0]);
        keys.writes(ACCOUNTS, parts[1]);
    }

    @Override
    public String execute(String argument, View view) {
        String[] parts = argument.split(",");
        int amount = Integer.parseInt(parts[2]);
        int left = balance(view, parts[0]) - amount;
        view.put(ACCOUNTS, parts[0], "" + left);
        if (left < 0) {
            throw new IllegalStateException("not enough on " + parts[0]);
        }
        view.put(ACCOUNTS, parts[1], "" + (balance(view, parts[1]) + amount));
        return "" + left;
    }

    private static int balance(View view, String account) {
        String balance = view.get(ACCOUNTS, account);
        return balance == null ? 0 : Integer.parseInt(balance);
    }
}
