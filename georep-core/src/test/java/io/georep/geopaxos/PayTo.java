package io.georep.geopaxos;

import io.georep.spi.PayloadCodec;

/** Gives one to the account whose name stands under the argument: a key that only the state tells. */
record PayTo(boolean finds) implements TextTransaction {
    private static final MapSchema<String, String> NAMES =
            new MapSchema<>("names", PayloadCodec.string(), PayloadCodec.string());

    @Override
    public String name() {
        return finds ? "pay-to" : "pay-to-nobody";
    }

    @Override
    public void declare(String name, Keys keys) {
        keys.reads(NAMES, name);
        if (finds) {
            keys.finds();
        }
    }

    @Override
    public String execute(String name, View view) {
        String account = view.get(NAMES, name);
        if (account == null) {
            return "nobody";
        }
        String balance = view.get(Transfer.ACCOUNTS, account);
        String next = "" + (balance == null ? 1 : Integer.parseInt(balance) + 1);
        view.put(Transfer.ACCOUNTS, account, next);
        return account + " has " + next;
    }
}
