package io.georep.bench.results;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void takesTheOneInTheMiddleOrTheMeanOfTwo() {
        assertThat(Spread.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Spread(1, 2, 3));
        assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 8.0))).isEqualTo(new Spread(1, 3, 8));
    }

    @Test
    void writesThreeDigits() {
        assertThat(Spread.number(0.126)).isEqualTo("0.13");
        assertThat(Spread.number(12.34)).isEqualTo("12.3");
        assertThat(Spread.number(999)).isEqualTo("999");
        assertThat(Spread.number(1_234)).isEqualTo("1,230");
        assertThat(Spread.number(248_761)).isEqualTo("249,000");
    }

    @Test
    void writesTheSmallestAndTheLargestOnlyWhereTheyDiffer() {
        assertThat(new Spread(1_001, 1_002, 1_003).text()).isEqualTo("1,000");
        assertThat(new Spread(10, 20, 30).text()).isEqualTo("10.0–**20.0**–30.0");
    }
}
