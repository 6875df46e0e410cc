package io.georep.examples.sms.credit;

import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.MapTransaction;
import io.georep.spi.PayloadCodec;
import org.jspecify.annotations.Nullable;

/**
 * What is done to purses and reservations. Each may be repeated: a message reserves once and ends once, and a top-up names the sum
 * that it finds.
 */
enum CreditTransaction implements MapTransaction<Order, Outcome> {
    /** Pays in. */
    TOP_UP {
        @Override
        Outcome execute(Order order, @Nullable Reservation before, View view) {
            Purse purse = purse(order, view);
            if (purse.toppedUp() != order.toppedUp()) {
                return Outcome.CHANGED;
            }
            view.put(PURSES, order.account(), purse.topUp(order.parts()));
            return Outcome.DONE;
        }
    },
    /** Reserves credit for a message. It is called once for each message. */
    CHARGE {
        @Override
        Outcome execute(Order order, @Nullable Reservation before, View view) {
            if (before != null) {
                return before.isNone() ? Outcome.NONE : Outcome.DONE;
            }
            Purse purse = purse(order, view);
            if (purse.free() < order.parts()) {
                return Outcome.NOT_ENOUGH;
            }
            view.put(PURSES, order.account(), purse.reserve(order.parts()));
            view.put(RESERVATIONS, order.key(), new Reservation(order.parts()));
            return Outcome.DONE;
        }
    },
    /** Says whether a message has reserved, after a charge without an answer. If not, a charge that is still under way will find no room. */
    RESOLVE {
        @Override
        Outcome execute(Order order, @Nullable Reservation before, View view) {
            if (before == null) {
                view.put(RESERVATIONS, order.key(), Reservation.NONE);
                return Outcome.NONE;
            }
            return before.isNone() ? Outcome.NONE : Outcome.DONE;
        }
    },
    /** An operator took the message. */
    SPEND {
        @Override
        Outcome execute(Order order, @Nullable Reservation before, View view) {
            return end(order, before, view, false);
        }
    },
    /** No operator will take the message. */
    GIVE_BACK {
        @Override
        Outcome execute(Order order, @Nullable Reservation before, View view) {
            return end(order, before, view, true);
        }
    };

    /** Credit by account. */
    static final MapSchema<String, Purse> PURSES = new MapSchema<>(
            "sms-credit",
            PayloadCodec.string(),
            new WordsCodec<>(
                    purse -> new Object[] {purse.toppedUp(), purse.free(), purse.reserved()},
                    words -> new Purse(number(words[0]), number(words[1]), number(words[2]))));

    /** Reservations in the same map, by {@link Order#key}. */
    static final MapSchema<String, Reservation> RESERVATIONS = new MapSchema<>(
            PURSES.name(),
            PayloadCodec.string(),
            new WordsCodec<>(each -> new Object[] {each.parts()}, words -> new Reservation(number(words[0]))));

    private static final PayloadCodec<Order> ORDERS = new WordsCodec<>(
            order -> new Object[] {order.account(), order.entry(), order.parts(), order.toppedUp()},
            words -> new Order(words[0], words[1], number(words[2]), number(words[3])));

    private static final PayloadCodec<Outcome> OUTCOMES =
            new WordsCodec<>(outcome -> new Object[] {outcome}, words -> Outcome.valueOf(words[0]));

    private static long number(String word) {
        return Long.parseLong(word);
    }

    abstract Outcome execute(Order order, @Nullable Reservation before, View view);

    @Override
    public void declare(Order order, Keys keys) {
        keys.writes(PURSES, order.account());
        if (this != TOP_UP) {
            keys.writes(RESERVATIONS, order.key());
        }
    }

    @Override
    public Outcome execute(Order order, View view) {
        return execute(order, this == TOP_UP ? null : view.get(RESERVATIONS, order.key()), view);
    }

    static Purse purse(Order order, View view) {
        Purse purse = view.get(PURSES, order.account());
        return purse == null ? Purse.EMPTY : purse;
    }

    static Outcome end(Order order, @Nullable Reservation before, View view, boolean givenBack) {
        if (before == null || before.isNone()) {
            return Outcome.NONE;
        }
        Purse purse = purse(order, view);
        view.put(PURSES, order.account(), givenBack ? purse.giveBack(before.parts()) : purse.spend(before.parts()));
        view.remove(RESERVATIONS, order.key());
        return Outcome.DONE;
    }

    @Override
    public int version() {
        return 1;
    }

    @Override
    public PayloadCodec<Order> arguments() {
        return ORDERS;
    }

    @Override
    public PayloadCodec<Outcome> results() {
        return OUTCOMES;
    }
}
