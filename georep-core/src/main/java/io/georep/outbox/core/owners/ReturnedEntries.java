package io.georep.outbox.core.owners;

import io.georep.model.EntryId;
import io.georep.model.EntryState;
import io.georep.outbox.core.context.OutboxContext;
import io.georep.outbox.core.holder.Completion;
import io.georep.outbox.core.holder.DeadLetterStore;
import io.georep.outbox.core.holder.Deliveries;
import io.georep.outbox.core.ledger.Fact;
import io.georep.outbox.core.messages.OutboxCommand;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.sets.SequenceSet;
import io.georep.outbox.core.stream.StreamTable;
import io.georep.protocol.Turn;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Handles entries that the application gives back or gives up. Those that another node ended are over, those that it claimed
 * are ceded, and those that are to leave this node are handed over. All others are offered again, or become dead letters.
 */
public final class ReturnedEntries {
    private final OutboxContext context;
    private final Claims claims;
    private final Completion completion;
    private final Relocation relocation;
    private final Deliveries deliveries;
    private final DeadLetterStore deadLetters;

    public ReturnedEntries(
            OutboxContext context,
            Claims claims,
            Completion completion,
            Relocation relocation,
            Deliveries deliveries,
            DeadLetterStore deadLetters) {
        this.context = context;
        this.claims = claims;
        this.completion = completion;
        this.relocation = relocation;
        this.deliveries = deliveries;
        this.deadLetters = deadLetters;
    }

    public void returned(OutboxCommand.Return back, Turn turn) {
        byStream(back.untouched()).forEach((table, entries) -> returned(table, entries, false, turn));
        byStream(back.tried()).forEach((table, entries) -> returned(table, entries, true, turn));
    }

    private Map<StreamTable, SequenceSet> byStream(List<EntryId> ids) {
        Map<StreamTable, SequenceSet> byStream = new LinkedHashMap<>();
        for (EntryId id : ids) {
            StreamTable table = context.ledger.find(id.stream());
            if (table != null && table.taken.contains(id.sequence())) {
                byStream.computeIfAbsent(table, none -> new SequenceSet()).add(id.sequence());
            }
        }
        return byStream;
    }

    private void returned(StreamTable table, SequenceSet entries, boolean tried, Turn turn) {
        RangeList open = completion.endGivenBack(table, entries.all(), turn);
        if (open.isEmpty()) {
            return;
        }
        context.ledger.note(table, tried ? Fact.Mark.GIVEN_BACK : Fact.Mark.UNTOUCHED, open);
        context.recalls.resolve(table, open, (ranges, claim, from) -> claims.learn(table, ranges, claim, from, turn));
        RangeList held = table.inState(EntryState.HELD, open).all();
        relocation.handOver(table, held, turn);
        deliveries.offer(table, table.inState(EntryState.HELD, held).all(), null);
    }

    public void deadLetter(OutboxCommand.MakeDeadLetter letter, Turn turn) {
        byStream(List.of(letter.id())).forEach((table, entry) -> {
            if (!completion.endGivenBack(table, entry.all(), turn).isEmpty()) {
                deadLetters.add(letter, turn);
            }
        });
    }
}
