package io.georep.geopaxos.core.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ObjectTableTest {
    @Test
    void itHoldsWhatAMapHolds() {
        Random random = new Random(1);
        ObjectTable table = new ObjectTable();
        TreeMap<Long, Integer> map = new TreeMap<>();
        for (int step = 0; step < 20_000; step++) {
            long object = random.nextInt(2 + step / 40) * (step % 2 == 0 ? 1L : 0x1_0000_0001L);
            int groups = random.nextInt(4);
            Integer before = groups == 0 ? map.remove(object) : map.put(object, groups);
            assertThat(table.put(object, groups)).isEqualTo(before == null ? 0 : before);
            assertThat(table.get(object)).isEqualTo(groups);
        }
        assertThat(table).hasToString(map.toString());
        assertThat(table.copy()).hasToString(map.toString());
        map.forEach((object, groups) -> assertThat(table.get(object)).isEqualTo(groups));
        table.clear();
        assertThat(table).hasToString("{}");
    }
}
