package io.georep.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An advice that fails keeps none of the others from leaving what it entered. */
class NestedAdviceTest {
    private final List<String> told = new ArrayList<>();

    @Test
    void othersHearOfTheEndAlthoughOneFails() {
        HandlerAdvice.Call call = HandlerAdvice.all(List.of(advice("outer", false), advice("inner", true)))
                .begin("q", "l", List.of());

        assertThatThrownBy(call::close).hasMessage("inner leaves");
        assertThatThrownBy(() -> call.ended(null)).hasMessage("inner ends");

        assertThat(told).containsExactly("inner leaves", "outer leaves", "inner ends", "outer ends");
    }

    @Test
    void thoseThatBeganEndWhenTheNextCannotBegin() {
        HandlerAdvice broken = (queue, listener, deliveries) -> {
            throw new IllegalStateException("cannot begin");
        };

        assertThatThrownBy(() -> HandlerAdvice.all(List.of(advice("outer", false), broken))
                        .begin("q", "l", List.of()))
                .hasMessage("cannot begin");

        assertThat(told).containsExactly("outer leaves", "outer ends");
    }

    private HandlerAdvice advice(String name, boolean fails) {
        return (queue, listener, deliveries) -> new HandlerAdvice.Call() {
            @Override
            public void ended(@Nullable Throwable error) {
                tell(name + " ends", fails);
            }

            @Override
            public void close() {
                tell(name + " leaves", fails);
            }
        };
    }

    private void tell(String what, boolean fails) {
        told.add(what);
        if (fails) {
            throw new IllegalStateException(what);
        }
    }
}
