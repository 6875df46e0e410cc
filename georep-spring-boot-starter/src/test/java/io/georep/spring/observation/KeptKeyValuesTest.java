package io.georep.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.georep.model.EntryId;
import io.georep.model.NodeId;
import io.georep.model.StreamId;
import io.georep.outbox.Delivery;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contexts that keep their tags in another way than Micrometer's own show the same tags. */
class KeptKeyValuesTest {
    static final EntryId ID = new EntryId(new StreamId(NodeId.of("n1"), 1, 0), 7);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aContextHasTheTagsThatMicrometersOwnWouldHave(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Observation.Context own = random.nextBoolean() ? forward() : new SendContext("q", 1, Map.of());
        Observation.Context usual = new Observation.Context();

        for (int step = 0; step < 40; step++) {
            int what = random.nextInt(6);
            String key = "k" + random.nextInt(4);
            String text = Integer.toString(step);
            KeyValues several = KeyValues.of(key, text, "k" + random.nextInt(4), text + "b");
            for (Observation.Context context : List.of(own, usual)) {
                change(context, what, key, text, several);
            }

            assertThat(own.getAllKeyValues()).isEqualTo(usual.getAllKeyValues());
            assertThat(own.getLowCardinalityKeyValues()).isEqualTo(usual.getLowCardinalityKeyValues());
            assertThat(own.getHighCardinalityKeyValues()).isEqualTo(usual.getHighCardinalityKeyValues());
            assertThat(own.getLowCardinalityKeyValue(key)).isEqualTo(usual.getLowCardinalityKeyValue(key));
            assertThat(own.getHighCardinalityKeyValue(key)).isEqualTo(usual.getHighCardinalityKeyValue(key));
        }
    }

    private static void change(Observation.Context context, int what, String key, String text, KeyValues several) {
        switch (what) {
            case 0 -> context.addLowCardinalityKeyValue(KeyValue.of(key, text));
            case 1 -> context.addHighCardinalityKeyValue(KeyValue.of(key, text));
            case 2 -> context.addLowCardinalityKeyValues(several);
            case 3 -> context.addHighCardinalityKeyValues(several);
            case 4 -> context.removeLowCardinalityKeyValue(key);
            default -> context.removeHighCardinalityKeyValues(key);
        }
    }

    /** What a convention says at the end once more does not undo what others added in between, unless it says it itself. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tagsAddedDuringACallStayAtItsEnd(boolean low) {
        ForwardConvention convention = new ForwardConvention();
        ForwardContext context = forward();
        context.addLowCardinalityKeyValues(convention.getLowCardinalityKeyValues(context));
        context.addHighCardinalityKeyValues(convention.getHighCardinalityKeyValues(context));

        if (low) {
            context.addLowCardinalityKeyValue(KeyValue.of("queue", "mine"));
            context.addLowCardinalityKeyValue(KeyValue.of("zone", "a"));
        } else {
            context.addHighCardinalityKeyValue(KeyValue.of("entry.id", "mine"));
            context.addHighCardinalityKeyValue(KeyValue.of("zone", "a"));
        }
        context.addLowCardinalityKeyValues(convention.getLowCardinalityKeyValues(context));
        context.addHighCardinalityKeyValues(convention.getHighCardinalityKeyValues(context));

        assertThat(context.getAllKeyValues())
                .extracting(KeyValue::getKey, KeyValue::getValue)
                .containsExactlyInAnyOrder(
                        tuple("adopted", "false"),
                        tuple("entries", "1"),
                        tuple("entry.attempt", "1"),
                        tuple("entry.id", ID.toString()),
                        tuple("entry.origin", "n1"),
                        tuple("listener", "l"),
                        tuple("queue", "q"),
                        tuple("zone", "a"));
    }

    private static ForwardContext forward() {
        return new ForwardContext("q", "l", List.of(delivery(false)));
    }

    static Delivery<?> delivery(boolean adopted) {
        return (Delivery<?>) Proxy.newProxyInstance(
                Delivery.class.getClassLoader(),
                new Class<?>[] {Delivery.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "id" -> ID;
                    case "origin" -> ID.origin();
                    case "attempt" -> 1;
                    case "adopted" -> adopted;
                    default -> Map.of();
                });
    }
}
