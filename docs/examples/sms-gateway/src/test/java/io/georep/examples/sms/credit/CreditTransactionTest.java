package io.georep.examples.sms.credit;

import static io.georep.examples.sms.credit.CreditTransaction.CHARGE;
import static io.georep.examples.sms.credit.CreditTransaction.GIVE_BACK;
import static io.georep.examples.sms.credit.CreditTransaction.RESERVATIONS;
import static io.georep.examples.sms.credit.CreditTransaction.RESOLVE;
import static io.georep.examples.sms.credit.CreditTransaction.SPEND;
import static io.georep.examples.sms.credit.CreditTransaction.TOP_UP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.examples.sms.Address;
import io.georep.examples.sms.Sms;
import io.georep.geopaxos.MapSchema;
import io.georep.geopaxos.MapTransaction;
import io.georep.model.Slice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CreditTransactionTest {
    private static final String SHOP = "shop";

    private final Maps maps = new Maps();

    /** What the transactions would find in the ordered maps, as bytes. */
    private static final class Maps implements MapTransaction.View {
        private final Map<String, byte[]> bytes = new HashMap<>();
        private final Set<String> declared = new HashSet<>();

        Outcome run(CreditTransaction transaction, Order order) throws Exception {
            declared.clear();
            transaction.declare(order, new MapTransaction.Keys() {
                @Override
                public <K> void reads(MapSchema<K, ?> map, K key) {
                    writes(map, key);
                }

                @Override
                public <K> void writes(MapSchema<K, ?> map, K key) {
                    declared.add(name(map, key));
                }

                @Override
                public void finds() {
                    throw new AssertionError("all keys are known before");
                }
            });
            Order travelled = transaction
                    .arguments()
                    .decode(Slice.of(transaction.arguments().encode(order)));
            Outcome outcome = transaction.execute(travelled, this);
            return transaction.results().decode(Slice.of(transaction.results().encode(outcome)));
        }

        private static String name(MapSchema<?, ?> map, Object key) {
            return map.name() + "/" + key;
        }

        private String declared(MapSchema<?, ?> map, Object key) {
            assertThat(declared).contains(name(map, key));
            return name(map, key);
        }

        @Override
        public <K, V> @Nullable V get(MapSchema<K, V> map, K key) {
            byte[] found = bytes.get(declared(map, key));
            try {
                return found == null ? null : map.values().decode(Slice.of(found));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public <K, V> void put(MapSchema<K, V> map, K key, V value) {
            try {
                bytes.put(declared(map, key), map.values().encode(value));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public <K> void remove(MapSchema<K, ?> map, K key) {
            bytes.remove(declared(map, key));
        }

        Purse purse() {
            declared.add(name(CreditTransaction.PURSES, SHOP));
            Purse purse = get(CreditTransaction.PURSES, SHOP);
            return purse == null ? Purse.EMPTY : purse;
        }
    }

    private Outcome topUp(long parts, long before) throws Exception {
        return maps.run(TOP_UP, new Order(SHOP, "", parts, before));
    }

    private Outcome charge(String entry, long parts) throws Exception {
        return maps.run(CHARGE, new Order(SHOP, entry, parts, 0));
    }

    private Outcome run(CreditTransaction transaction, String entry) throws Exception {
        return maps.run(transaction, Order.about(SHOP, entry));
    }

    @Test
    void aMessageReservesOnceAndEndsOnce() throws Exception {
        assertThat(topUp(10, 0)).isEqualTo(Outcome.DONE);
        assertThat(charge("a:1:0:0", 3)).isEqualTo(Outcome.DONE);
        assertThat(charge("a:1:0:0", 3)).isEqualTo(Outcome.DONE);
        assertThat(maps.purse()).isEqualTo(new Purse(10, 7, 3));

        assertThat(run(GIVE_BACK, "a:1:0:0")).isEqualTo(Outcome.DONE);
        assertThat(run(GIVE_BACK, "a:1:0:0")).isEqualTo(Outcome.NONE);
        assertThat(run(SPEND, "a:1:0:0")).isEqualTo(Outcome.NONE);
        assertThat(maps.purse()).isEqualTo(new Purse(10, 10, 0));

        assertThat(charge("a:1:0:1", 4)).isEqualTo(Outcome.DONE);
        assertThat(run(SPEND, "a:1:0:1")).isEqualTo(Outcome.DONE);
        assertThat(run(GIVE_BACK, "a:1:0:1")).isEqualTo(Outcome.NONE);
        assertThat(maps.purse()).isEqualTo(new Purse(10, 6, 0));
        assertThat(maps.purse().spent()).isEqualTo(4);
    }

    @Test
    void whatIsNotFreeIsNotReserved() throws Exception {
        assertThat(charge("a:1:0:0", 1)).isEqualTo(Outcome.NOT_ENOUGH);
        topUp(2, 0);
        assertThat(charge("a:1:0:1", 3)).isEqualTo(Outcome.NOT_ENOUGH);
        assertThat(charge("a:1:0:2", 2)).isEqualTo(Outcome.DONE);
        assertThat(charge("a:1:0:3", 1)).isEqualTo(Outcome.NOT_ENOUGH);
        assertThat(maps.purse()).isEqualTo(new Purse(2, 0, 2));
        assertThatThrownBy(() -> new Purse(1, -1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTopUpThatIsRepeatedPaysInOnce() throws Exception {
        assertThat(topUp(5, 0)).isEqualTo(Outcome.DONE);
        assertThat(topUp(5, 0)).isEqualTo(Outcome.CHANGED);
        assertThat(topUp(5, 5)).isEqualTo(Outcome.DONE);
        assertThat(maps.purse()).isEqualTo(new Purse(10, 10, 0));
    }

    /** The first call may be on its way for long. */
    @Test
    void aMessageThatWasFoundUnpaidReservesNothingLater() throws Exception {
        topUp(5, 0);
        assertThat(run(RESOLVE, "a:1:0:0")).isEqualTo(Outcome.NONE);
        assertThat(charge("a:1:0:0", 1)).isEqualTo(Outcome.NONE);
        assertThat(run(GIVE_BACK, "a:1:0:0")).isEqualTo(Outcome.NONE);
        assertThat(maps.purse()).isEqualTo(new Purse(5, 5, 0));

        charge("a:1:0:1", 1);
        assertThat(run(RESOLVE, "a:1:0:1")).isEqualTo(Outcome.DONE);
        assertThat(run(RESOLVE, "a:1:0:1")).isEqualTo(Outcome.DONE);
        assertThat(maps.purse()).isEqualTo(new Purse(5, 4, 1));
    }

    /** Any order of anything: the reservations and the purse tell the same, and nothing gets lost. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void nothingGetsLostInAnyOrder(long seed) throws Exception {
        Random random = new Random(seed);
        long paid = 0;
        long spent = 0;
        Map<String, Long> reserved = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            String entry = "a:1:0:" + random.nextInt(50);
            switch (random.nextInt(5)) {
                case 0 -> {
                    long before = random.nextBoolean() ? paid : random.nextInt(100);
                    if (topUp(3, before) == Outcome.DONE) {
                        paid += 3;
                    }
                }
                case 1 -> {
                    long parts = 1 + random.nextInt(4);
                    if (charge(entry, parts) == Outcome.DONE) {
                        reserved.putIfAbsent(entry, parts);
                    }
                }
                case 2 -> run(RESOLVE, entry);
                case 3 -> {
                    if (run(SPEND, entry) == Outcome.DONE) {
                        spent += reserved.remove(entry);
                    }
                }
                default -> {
                    if (run(GIVE_BACK, entry) == Outcome.DONE) {
                        assertThat(reserved.remove(entry)).isNotNull();
                    }
                }
            }
            if (random.nextInt(20) == 0 && !reserved.containsKey(entry)) {
                maps.bytes.remove(
                        Maps.name(RESERVATIONS, Order.about(SHOP, entry).key())); // its time to live is over
            }
            long held = reserved.values().stream().mapToLong(Long::longValue).sum();
            assertThat(maps.purse()).isEqualTo(new Purse(paid, paid - held - spent, held));
        }
        assertThat(spent).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"160,a,1", "161,a,2", "306,a,2", "307,a,3", "70,€,1", "71,€,2", "140,é,1", "141,é,2"})
    void aMessageCostsItsParts(int length, String character, long parts) {
        String text = character.repeat(length);
        Sms sms = Sms.text(Address.parse("GeoRep"), Address.parse("+31201234567"), text, false);

        assertThat(Price.of(sms)).isEqualTo(parts);
    }
}
