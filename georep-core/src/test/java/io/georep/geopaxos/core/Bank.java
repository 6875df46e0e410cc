package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.geopaxos.core.map.MapEntry;
import io.georep.geopaxos.core.map.MapOperation;
import io.georep.geopaxos.core.map.OrderedMapService;
import io.georep.geopaxos.core.map.Procedure;
import io.georep.model.Slice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Accounts in an ordered map: money is moved from one to another, and none comes or goes. */
final class Bank {
    static final int ACCOUNTS = 150;
    private static final int OPENING = 100;

    /** More than a leaf holds. */
    static final int BLOCK = 70;

    static final int BLOCKS = 3;

    static final int FAILURES = 3;

    /** All money there is, once the accounts are open. */
    static final long TOTAL = (long) ACCOUNTS * OPENING;

    private static final Slice DONE = bytes("done");
    private static final Slice REFUSED = bytes("refused");

    private Bank() {}

    static OrderedMapService map() {
        return new OrderedMapService(List.of(new Open(), new Transfer(), new Look(), new Fill(), new Fail()));
    }

    static Slice bytes(String text) {
        return Slice.of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Without a formatter, which took a thirtieth of the time of whole runs. */
    private static String threeDigits(int number) {
        return String.valueOf(1000 + number).substring(1);
    }

    static Slice account(int number) {
        return bytes("a" + threeDigits(number));
    }

    private static Slice call(String name, Slice argument) {
        return MapOperation.encode(new MapOperation.Call(name, 1, argument));
    }

    static Slice open() {
        return call("open", Slice.EMPTY);
    }

    static Slice transfer(int from, int to, int amount) {
        return call(
                "transfer",
                new BinWriter(32)
                        .bytes(account(from))
                        .bytes(account(to))
                        .i32(amount)
                        .toSlice());
    }

    /** A read of several keys. */
    static Slice look(List<Slice> keys) {
        BinWriter out = new BinWriter(64);
        keys.forEach(out::bytes);
        return call("look", out.toSlice());
    }

    /** Writes a block of keys that belong to no account, or removes it: leaves are divided and joined. */
    static Slice fill(int block, boolean on) {
        return call("fill", new BinWriter(8).i32(block).u8(on ? 1 : 0).toSlice());
    }

    /** Takes money from an account, and fails then: in one of {@link #FAILURES} ways. */
    static Slice fail(int account, int how) {
        return call("fail", new BinWriter(16).bytes(account(account)).u8(how).toSlice());
    }

    static Slice inBlock(int block, int number) {
        return bytes("f" + block + threeDigits(number));
    }

    /** All accounts. */
    static Slice audit() {
        return MapOperation.encode(new MapOperation.Scan(bytes("a"), bytes("b"), MapOperation.PAGE_ENTRIES_MAX, false));
    }

    /** Returns how much money these entries hold. */
    static long sum(Collection<MapEntry> entries) {
        return entries.stream().mapToLong(entry -> amount(entry.value())).sum();
    }

    private static int amount(Slice value) {
        return Integer.parseInt(new String(value.toArray(), StandardCharsets.UTF_8));
    }

    private static MapEntry entry(Slice account, int amount) {
        return new MapEntry(account, bytes(String.valueOf(amount)), 0);
    }

    private abstract static class Versioned implements Procedure {
        @Override
        public int version() {
            return 1;
        }
    }

    /** Gives all accounts the same to begin with, unless they are there. */
    private static final class Open extends Versioned {
        @Override
        public String name() {
            return "open";
        }

        @Override
        public Keys keys(Slice argument) {
            List<Slice> accounts = new ArrayList<>();
            for (int number = 0; number < ACCOUNTS; number++) {
                accounts.add(account(number));
            }
            return new Keys(List.of(), accounts);
        }

        @Override
        public Slice execute(View view, Slice argument) {
            if (view.get(account(0)) != null) {
                return REFUSED;
            }
            keys(argument).writes().forEach(account -> view.put(entry(account, OPENING)));
            return DONE;
        }
    }

    /** Moves an amount, if it is there. */
    private static final class Transfer extends Versioned {
        @Override
        public String name() {
            return "transfer";
        }

        @Override
        public Keys keys(Slice argument) {
            BinReader in = new BinReader(argument);
            return new Keys(List.of(), List.of(in.bytes(), in.bytes()));
        }

        @Override
        public Slice execute(View view, Slice argument) {
            BinReader in = new BinReader(argument);
            Slice from = in.bytes();
            Slice to = in.bytes();
            int amount = in.i32();
            Slice left = view.get(from);
            Slice there = view.get(to);
            if (left == null || there == null || amount(left) < amount) {
                return REFUSED;
            }
            view.put(entry(from, amount(left) - amount));
            view.put(entry(to, amount(view.get(to)) + amount));
            return DONE;
        }
    }

    private static final class Fill extends Versioned {
        @Override
        public String name() {
            return "fill";
        }

        @Override
        public Keys keys(Slice argument) {
            int block = new BinReader(argument).i32();
            List<Slice> keys = new ArrayList<>();
            for (int number = 0; number < BLOCK; number++) {
                keys.add(inBlock(block, number));
            }
            return new Keys(List.of(), keys);
        }

        @Override
        public Slice execute(View view, Slice argument) {
            boolean on = argument.array()[argument.offset() + 4] == 1;
            for (Slice key : keys(argument).writes()) {
                if (on) {
                    view.put(entry(key, 1));
                } else {
                    view.remove(key);
                }
            }
            return DONE;
        }
    }

    /** Reads several keys at one moment. */
    private static final class Look extends Versioned {
        @Override
        public String name() {
            return "look";
        }

        @Override
        public Keys keys(Slice argument) {
            List<Slice> keys = new ArrayList<>();
            for (BinReader in = new BinReader(argument); in.hasMore(); ) {
                keys.add(in.bytes());
            }
            return new Keys(keys, List.of());
        }

        @Override
        public Slice execute(View view, Slice argument) {
            BinWriter out = new BinWriter(64);
            for (Slice key : keys(argument).reads()) {
                Slice value = view.get(key);
                out.bytes(value == null ? Slice.EMPTY : value);
            }
            return out.toSlice();
        }
    }

    private static final class Fail extends Versioned {
        @Override
        public String name() {
            return "fail";
        }

        @Override
        public Keys keys(Slice argument) {
            return new Keys(List.of(), List.of(new BinReader(argument).bytes()));
        }

        @Override
        public Slice execute(View view, Slice argument) {
            BinReader in = new BinReader(argument);
            view.put(entry(in.bytes(), 0));
            throw switch (in.u8()) {
                case 0 -> new IllegalStateException("by design");
                case 1 -> Fail.<RuntimeException>undeclared(new IOException("by design"));
                default ->
                    new RuntimeException() {
                        private static final long serialVersionUID = 1;

                        @Override
                        public String getMessage() {
                            throw new IllegalStateException("by design");
                        }
                    };
            };
        }

        /** As code in other languages throws it. */
        @SuppressWarnings("unchecked")
        private static <E extends Throwable> E undeclared(Throwable error) throws E {
            throw (E) error;
        }
    }
}
