package io.georep.outbox.local;

import io.georep.model.EntryId;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.runtime.ChangeLines;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Log lines of the outbox about changes of state, with the same logger and in the same form as the node's. Thread-safe.
 */
final class OutboxChanges {
    private static final String PEER = ChangeLines.PEER;
    private static final String QUEUE = "georep.queue";
    private static final String ENTRIES = "georep.entries";

    private final String node;
    private final ChangeLines lines;

    OutboxChanges(String node) {
        this(new ChangeLines(node));
    }

    /** Writes to another logger: for tests. */
    OutboxChanges(String node, Logger log) {
        this(new ChangeLines(node, log));
    }

    private OutboxChanges(ChangeLines lines) {
        this.node = lines.node();
        this.lines = lines;
    }

    private LoggingEventBuilder line(Level level, String event) {
        return lines.line(level, event);
    }

    void adopted(OutboxEvent.Adopted adopted) {
        line(Level.INFO, "adopted")
                .addKeyValue(QUEUE, adopted.queue())
                .addKeyValue(PEER, adopted.from())
                .addKeyValue(ENTRIES, adopted.entries())
                .log(
                        "Node {} adopted {} entries of queue {} from {}",
                        node,
                        adopted.entries(),
                        adopted.queue(),
                        adopted.from());
    }

    void adoptionPaused(OutboxEvent.AdoptionPaused paused) {
        if (paused.left().isZero()) {
            line(Level.INFO, "adoption-resumed").log("Node {} adopts again", node);
        } else {
            line(Level.WARN, "adoption-paused")
                    .addKeyValue("georep.left", paused.left())
                    .log(
                            "Node {} adopts nothing for {}: an earlier process of it told its peers of that suspectAfter +"
                                    + " terminateAfter, and a process has to run for so long before the shorter one counts",
                            node,
                            paused.left());
        }
    }

    void ceded(OutboxEvent.Ceded ceded) {
        line(Level.INFO, "ceded")
                .addKeyValue(PEER, ceded.to())
                .addKeyValue(ENTRIES, ceded.entries())
                .log("Node {} ceded {} entries to {}", node, ceded.entries(), ceded.to());
    }

    void copiesMissing(OutboxEvent.CopiesMissing missing) {
        line(Level.WARN, "copies-missing")
                .addKeyValue(QUEUE, missing.queue())
                .addKeyValue(PEER, missing.owner())
                .addKeyValue(ENTRIES, missing.entries())
                .log(
                        "Node {}: {} has lost its copies of {} entries of queue {}; this node copies them to it again",
                        node,
                        missing.owner(),
                        missing.entries(),
                        missing.queue());
    }

    void copiesRestored(OutboxEvent.CopiesRestored restored) {
        line(Level.INFO, "copies-restored")
                .addKeyValue(QUEUE, restored.queue())
                .addKeyValue(PEER, restored.owner())
                .log("Node {}: {} has its copies of queue {} again", node, restored.owner(), restored.queue());
    }

    void endRefused(OutboxEvent.EndRefused refused) {
        line(Level.ERROR, "end-refused")
                .addKeyValue(QUEUE, refused.queue())
                .addKeyValue(PEER, refused.from())
                .addKeyValue(ENTRIES, refused.entries())
                .log(
                        "Node {} keeps {} entries of queue {} that {} says are over: it is neither their origin nor one of"
                                + " their owners. Find out who runs that node; its key may be stolen",
                        node,
                        refused.entries(),
                        refused.queue(),
                        refused.from());
    }

    void undecided(OutboxEvent.UndecidedFound found) {
        line(Level.WARN, "undecided")
                .addKeyValue(QUEUE, found.queue())
                .addKeyValue(ENTRIES, found.entries())
                .log(
                        "Node {} holds {} entries of queue {} that were prepared and never decided",
                        node,
                        found.entries(),
                        found.queue());
    }

    void unopened(String queue) {
        line(Level.WARN, "unopened")
                .addKeyValue(QUEUE, queue)
                .log(
                        "Node {} holds entries of queue {}, which is not open here: they wait until it is opened;"
                                + " is this node running another version of the application?",
                        node,
                        queue);
    }

    void paused(String queue, boolean on) {
        line(Level.INFO, on ? "paused" : "resumed")
                .addKeyValue(QUEUE, queue)
                .log("Node {}: queue {} is {}", node, queue, on ? "paused: its entries wait" : "resumed");
    }

    void deadLetter(String queue, EntryId entry, int attempts, String reason) {
        line(Level.WARN, "dead-letter")
                .addKeyValue(QUEUE, queue)
                .addKeyValue("georep.entry", entry)
                .addKeyValue("georep.attempts", attempts)
                .log(
                        "Node {}: entry {} of queue {} is a dead letter after {} attempts: {}",
                        node,
                        entry,
                        queue,
                        attempts,
                        reason);
    }
}
