package io.georep.outbox.core;

import io.georep.codec.BinReader;
import io.georep.model.StreamId;
import io.georep.outbox.core.context.AdoptionRights;
import io.georep.outbox.core.context.AttemptNews;
import io.georep.outbox.core.messages.OutboxMessages;
import io.georep.outbox.core.sets.RangeList;
import io.georep.outbox.core.stream.Group;
import io.georep.outbox.core.stream.QueueNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells what an outbox message is about, for checkers and traffic counters. */
public final class OutboxWire {
    /** Kind of message. */
    public enum Kind {
        REPLICATE(OutboxMessages.REPLICATE),
        ACK(OutboxMessages.ACK),
        DELETE(OutboxMessages.DELETE),
        DELETED(OutboxMessages.DELETED),
        UPDATE(OutboxMessages.UPDATE),
        UPDATED(OutboxMessages.UPDATED),
        RELEASE(OutboxMessages.RELEASE),
        RELEASED(OutboxMessages.RELEASED),
        QUERY(OutboxMessages.QUERY),
        ANSWER(OutboxMessages.ANSWER),
        SETTLED(OutboxMessages.SETTLED),
        DECIDED(OutboxMessages.DECIDED),
        ATTEMPTS(OutboxMessages.ATTEMPTS),
        ADOPTION(OutboxMessages.ADOPTION),
        CLAIM(OutboxMessages.CLAIM);

        private final int type;

        Kind(int type) {
            this.type = type;
        }
    }

    /**
     * What a message is about.
     *
     * @param stream null when it is about none
     * @param ranges half-open ranges of sequence numbers as (from, to) pairs
     */
    public record Subject(Kind kind, @Nullable StreamId stream, List<long[]> ranges) {}

    private OutboxWire() {}

    /** Returns the kind that a type code stands for. */
    static Kind kind(int type) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.type == type)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no type of message: " + type));
    }

    /** Reads a message body. */
    public static Subject subject(int type, BinReader body) {
        Kind kind = kind(type);
        if (kind == Kind.REPLICATE) {
            Group group = Group.decode(body.raw(body.remaining()));
            return new Subject(kind, group.stream, List.of(new long[] {group.first, group.to()}));
        }
        if (kind == Kind.ADOPTION) {
            AdoptionRights.read(body);
            return new Subject(kind, null, List.of());
        }
        if (kind == Kind.ATTEMPTS) {
            StreamId stream = body.stream();
            QueueNames.read(body);
            return new Subject(
                    kind,
                    stream,
                    AttemptNews.read(body).stream()
                            .map(item -> new long[] {item.sequence(), item.sequence() + 1})
                            .toList());
        }
        OutboxMessages.Message message = OutboxMessages.Message.read(type, body);
        RangeList ranges = message.ranges();
        List<long[]> pairs = new ArrayList<>();
        for (int i = 0; i < ranges.count(); i++) {
            pairs.add(new long[] {ranges.from(i), ranges.to(i)});
        }
        return new Subject(kind, message.stream(), pairs);
    }
}
