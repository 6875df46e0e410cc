package io.georep.funnel.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.funnel.MapUnavailableException;
import io.georep.funnel.MapUnavailableException.Reason;
import io.georep.funnel.core.Standing.Phase;
import io.georep.funnel.core.messages.FunnelCommand;
import io.georep.funnel.core.messages.FunnelEvent;
import io.georep.funnel.core.messages.FunnelMessages;
import io.georep.funnel.core.messages.FunnelMessages.Answer;
import io.georep.funnel.core.messages.FunnelMessages.Question;
import io.georep.funnel.core.messages.Version;
import io.georep.model.Slice;
import io.georep.protocol.Peer;
import io.georep.protocol.Turn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads that the mirror could not answer: of a key that is being written the tail is asked for the newest value (section 6). */
final class Reads {
    private static final int MESSAGE_BYTES = 48 << 10;

    /** Most bytes of questions that are kept; what is above is asked again. */
    static final int KEPT_BYTES_MAX = 4 << 20;

    /** What a question takes beside its key. */
    private static final int QUESTION_BYTES = 64;

    private static final class Pending {
        final Slice key;
        final Object token;
        final long deadline;

        Pending(Slice key, Object token, long deadline) {
            this.key = key;
            this.token = token;
            this.deadline = deadline;
        }
    }

    private record Kept(Peer from, List<Question> questions) {
        long bytes() {
            long bytes = 0;
            for (Question each : questions) {
                bytes += QUESTION_BYTES + each.key().length();
            }
            return bytes;
        }
    }

    private final FunnelContext context;

    /** By number, which is the order of their deadlines. */
    private final LinkedHashMap<Long, Pending> pending = new LinkedHashMap<>();

    private final List<Long> toAsk = new ArrayList<>();

    /** Questions of others that wait until the view is open. */
    private final List<Kept> kept = new ArrayList<>();

    private long keptBytes;

    private long number;
    private long askedAgainAt;
    private long seenView;
    private Phase seenPhase = Phase.OUTSIDE;
    private boolean seenOpen;

    Reads(FunnelContext context) {
        this.context = context;
    }

    void read(FunnelCommand.Read read, Turn turn) {
        long now = turn.now();
        if (answered(read.key(), read.token(), turn)) {
            return;
        }
        if (context.standing.rank() < 0
                || (context.standing.phase() == Phase.OUTSIDE && !context.standing.hasContent())) {
            fail(List.of(read.token()), Reason.NO_VIEW, "it " + context.noView(), turn);
        } else if (context.isServing() && !context.hasLease(turn)) {
            fail(List.of(read.token()), Reason.NO_LEASE, "its lease has ended, the master does not answer", turn);
        } else {
            long asked = ++number;
            pending.put(
                    asked,
                    new Pending(
                            read.key(),
                            read.token(),
                            now + context.settings.readTimeout().toNanos()));
            toAsk.add(asked);
        }
    }

    /** Answers a key that is not being written, and on the tail any. */
    private boolean answered(Slice key, Object token, Turn turn) {
        if (!context.standing.hasContent() || !context.hasLease(turn)) {
            return false;
        }
        Cell cell = context.tables.find(key);
        boolean knows = cell == null
                || !cell.isDirty()
                || (context.isServing() && context.isTail() && context.standing.isOpen());
        if (knows) {
            turn.notify(new FunnelEvent.Value(token, cell == null ? null : cell.value));
        }
        return knows;
    }

    private void fail(List<Object> tokens, Reason reason, String why, Turn turn) {
        if (!tokens.isEmpty()) {
            turn.notify(new FunnelEvent.Failed(
                    tokens,
                    new MapUnavailableException(
                            reason,
                            "node " + context.self() + " cannot read: " + why
                                    + ". Try again later, or at a node that serves")));
        }
    }

    void query(Peer from, BinReader body, Turn turn) {
        List<Question> questions = FunnelMessages.readQuery(body);
        if (!context.isTail() || context.standing.phase() == Phase.OUTSIDE) {
            return;
        }
        if (context.standing.isOpen()) {
            answer(from, questions, turn);
        } else {
            keep(from, questions);
        }
    }

    private void keep(Peer from, List<Question> questions) {
        Kept asked = new Kept(from, questions);
        if (keptBytes + asked.bytes() <= KEPT_BYTES_MAX) {
            keptBytes += asked.bytes();
            List<Question> copies = new ArrayList<>();
            for (Question each : questions) {
                copies.add(new Question(
                        each.number(), each.known(), Slice.of(each.key().toArray())));
            }
            kept.add(new Kept(from, copies));
        }
    }

    private void answer(Peer to, List<Question> questions, Turn turn) {
        if (!context.hasLease(turn)) {
            return; // Another tail may have been made: the asker asks again, or gives up.
        }
        BinWriter answers = new BinWriter(256);
        int count = 0;
        for (Question question : questions) {
            Cell cell = context.tables.find(question.key());
            Slice value = cell == null ? null : cell.value;
            boolean isKnown = cell != null && value != null && cell.isAt(question.known());
            int known = value == null ? FunnelMessages.NONE : isKnown ? FunnelMessages.AS_KNOWN : FunnelMessages.VALUE;
            FunnelMessages.answer(answers, question.number(), known, known == FunnelMessages.VALUE ? value : null);
            count++;
            if (answers.size() > MESSAGE_BYTES) {
                send(to, FunnelMessages.LAST, count, answers, turn);
                count = 0;
            }
        }
        send(to, FunnelMessages.LAST, count, answers, turn);
    }

    private void send(Peer to, int type, int count, BinWriter items, Turn turn) {
        if (count > 0) {
            Slice body = context.message().varint(count).raw(items.view()).toSlice();
            turn.send(to, type, body, true);
            items.clear();
        }
    }

    /** For tests. */
    long keptBytes() {
        return keptBytes;
    }

    void last(BinReader body, Turn turn) {
        for (Answer answer : FunnelMessages.readLast(body)) {
            Pending read = pending.remove(answer.number());
            if (read == null) {
                continue;
            }
            Cell cell = context.tables.find(read.key);
            Slice value = switch (answer.known()) {
                case FunnelMessages.VALUE -> answer.value();
                case FunnelMessages.AS_KNOWN -> cell == null ? null : cell.value;
                default -> null;
            };
            turn.notify(new FunnelEvent.Value(read.token, value));
        }
    }

    void peerReachable(Peer peer) {
        if (peer == context.tail()) {
            askAll();
        }
    }

    private void askAll() {
        toAsk.clear();
        toAsk.addAll(pending.keySet());
    }

    void tick(Turn turn) {
        long now = turn.now();
        List<Object> late = new ArrayList<>();
        var oldest = pending.entrySet().iterator();
        while (oldest.hasNext()) {
            Pending read = oldest.next().getValue();
            if (read.deadline > now && context.standing.rank() >= 0) {
                break;
            }
            late.add(read.token);
            oldest.remove();
        }
        if (context.standing.rank() < 0) {
            fail(late, Reason.NO_VIEW, "it " + context.noView(), turn);
        } else if (!context.isServing() || !context.standing.isOpen()) {
            fail(late, Reason.VIEW_CHANGING, "the members are still comparing what they hold", turn);
        } else {
            fail(late, Reason.TAIL_SILENT, "the tail did not answer in time", turn);
        }
        if (!pending.isEmpty()
                && now - askedAgainAt > context.settings.resendAfter().toNanos()) {
            askedAgainAt = now;
            askAll();
        }
    }

    long nextDeadlineNanos() {
        return pending.isEmpty() ? Long.MAX_VALUE : pending.values().iterator().next().deadline;
    }

    void endOfTurn(Turn turn) {
        boolean isChanged = seenView != context.viewNumber()
                || seenPhase != context.standing.phase()
                || seenOpen != context.standing.isOpen();
        seenView = context.viewNumber();
        seenPhase = context.standing.phase();
        seenOpen = context.standing.isOpen();
        if (isChanged) {
            reconsider(turn);
        }
        Peer tail = context.tail();
        if (toAsk.isEmpty() || !context.isServing() || tail == null) {
            return;
        }
        BinWriter questions = new BinWriter(256);
        int count = 0;
        for (long asked : toAsk) {
            Pending read = pending.get(asked);
            if (read == null) {
                continue;
            }
            Cell cell = context.tables.find(read.key);
            questions.varint(asked);
            (cell == null ? Version.NONE : new Version(cell.view, cell.commit)).write(questions);
            questions.bytes(read.key);
            count++;
            context.figures.tailRead();
            if (questions.size() > MESSAGE_BYTES) {
                send(tail, FunnelMessages.QUERY, count, questions, turn);
                count = 0;
            }
        }
        send(tail, FunnelMessages.QUERY, count, questions, turn);
        toAsk.clear();
    }

    /** The view, or the node's part in it, has changed. */
    private void reconsider(Turn turn) {
        List<Kept> questions = new ArrayList<>(kept);
        kept.clear();
        keptBytes = 0;
        for (Kept each : questions) {
            if (context.isTail() && context.standing.isOpen()) {
                answer(each.from, each.questions, turn);
            } else if (context.isTail() && context.standing.phase() != Phase.OUTSIDE) {
                kept.add(each);
                keptBytes += each.bytes();
            }
        }
        for (Map.Entry<Long, Pending> each : List.copyOf(pending.entrySet())) {
            if (answered(each.getValue().key, each.getValue().token, turn)) {
                pending.remove(each.getKey());
            }
        }
        askAll();
    }
}
