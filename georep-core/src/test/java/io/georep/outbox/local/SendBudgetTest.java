package io.georep.outbox.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.georep.model.BrokenInvariantException;
import org.junit.jupiter.api.Test;

class SendBudgetTest {

    @Test
    void boundsTheCount() {
        SendBudget budget = new SendBudget(2, 1000);

        assertThat(budget.take(1, 10)).isTrue();
        assertThat(budget.take(1, 10)).isTrue();
        assertThat(budget.take(1, 10)).isFalse();
        budget.release(1, 10);
        assertThat(budget.take(1, 10)).isTrue();
        assertThat(budget.count()).isEqualTo(2);
        assertThat(budget.bytes()).isEqualTo(20);
    }

    @Test
    void boundsTheBytes() {
        SendBudget budget = new SendBudget(100, 1000);

        assertThat(budget.take(1, 600)).isTrue();
        assertThat(budget.take(1, 401)).isFalse();
        assertThat(budget.take(1, 400)).isTrue();
        assertThat(budget.take(1, 0)).isTrue();
    }

    @Test
    void moreThanWasTakenIsNotGivenBack() {
        SendBudget budget = new SendBudget(2, 1000);
        budget.take(1, 10);
        budget.release(1, 10);

        assertThatThrownBy(() -> budget.release(1, 10)).isInstanceOf(BrokenInvariantException.class);
    }

    @Test
    void hugeLimitsDoNotOverflow() {
        SendBudget budget = new SendBudget(Integer.MAX_VALUE, Long.MAX_VALUE);

        assertThat(budget.take(1, 1L << 34)).isTrue();
        assertThat(budget.take(1, 1L << 34)).isTrue();
        assertThat(budget.take(1, 1L << 34)).isFalse();
        assertThat(budget.take(1, Long.MAX_VALUE)).isFalse();
        assertThat(budget.count()).isEqualTo(2);
        assertThat(budget.bytes()).isEqualTo(1L << 35);
    }
}
