package io.georep.outbox.local;

import io.georep.model.EntryId;
import io.georep.outbox.DeadLetter;
import io.georep.outbox.DeadLetters;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.messages.OutboxEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Dead letters of one outbox, asked from the protocol. */
final class NodeDeadLetters<T> implements DeadLetters<T> {
    private final LocalQueue queue;
    private final EntryReader<T> reader;

    NodeDeadLetters(LocalQueue queue, EntryReader<T> reader) {
        this.queue = queue;
        this.reader = reader;
    }

    @Override
    public CompletionStage<Page<T>> list(@Nullable EntryId after, int max) {
        if (max < 1 || max > PAGE_MAX) {
            throw new IllegalArgumentException("max is " + max + ", allowed are 1 to " + PAGE_MAX);
        }
        return queue.node
                .<OutboxEvent.DeadLetterPage>ask(
                        token -> new OutboxCommand.ListDeadLetters(queue.name, after, max, token))
                .thenApplyAsync(this::page); // decoding may take long, and the application thread serves everybody
    }

    @Override
    public CompletionStage<Long> replay(Collection<EntryId> ids) {
        List<EntryId> copy = List.copyOf(ids);
        return changed(token -> new OutboxCommand.ReplayDeadLetters(queue.name, copy, token));
    }

    @Override
    public CompletionStage<Long> replayAll() {
        return changed(token -> new OutboxCommand.ReplayDeadLetters(queue.name, null, token));
    }

    @Override
    public CompletionStage<Long> delete(Collection<EntryId> ids) {
        List<EntryId> copy = List.copyOf(ids);
        return changed(token -> new OutboxCommand.DeleteDeadLetters(queue.name, copy, token));
    }

    @Override
    public CompletionStage<Long> deleteAll() {
        return changed(token -> new OutboxCommand.DeleteDeadLetters(queue.name, null, token));
    }

    private CompletionStage<Long> changed(Function<Object, OutboxCommand> command) {
        return queue.node.<OutboxEvent.Changed>ask(command).thenApply(OutboxEvent.Changed::entries);
    }

    private Page<T> page(OutboxEvent.DeadLetterPage answer) {
        List<DeadLetter<T>> letters = new ArrayList<>();
        for (OutboxEvent.DeadLetter letter : answer.letters()) {
            letters.add(new DeadLetter<>(
                    letter.id(),
                    reader.payloadOrNull(letter.payload()),
                    letter.attempts(),
                    letter.reason(),
                    Instant.ofEpochMilli(letter.atMillis())));
        }
        return new Page<>(letters, answer.more());
    }
}
