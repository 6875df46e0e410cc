package io.georep.outbox.core.owners;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.model.ProtocolConfig;
import io.georep.outbox.core.ledger.OutboxKeys;
import io.georep.outbox.core.messages.OutboxEvent;
import io.georep.protocol.Turn;
import io.georep.spi.EntryStore;
import java.time.Duration;

/**
 * How long a process waits before it adopts anything (6.6.14). Peers compute their leases from the T_s + T_x that this
 * node told them last, which may be that of an earlier process. So the node stores the longest T_s + T_x that it told.
 * A process with a shorter one adopts nothing until it has run for the longer one: by then each peer has heard of the
 * shorter one, or has no lease any more.
 */
final class BootWait {
    private final ProtocolConfig config;
    private long beganNanos;
    private long waitNanos;
    private boolean over;

    BootWait(ProtocolConfig config) {
        this.config = config;
    }

    /** A boot begins. */
    void begin(EntryStore store, Turn turn) {
        beganNanos = turn.now();
        waitNanos = configured();
        store.scanNow(OutboxKeys.failover(), OutboxKeys.failoverEnd(), (key, value) -> {
            waitNanos = Math.max(waitNanos, new BinReader(value).varint());
            return false;
        });
        keep(waitNanos, turn);
        if (isLonger()) {
            turn.notify(new OutboxEvent.AdoptionPaused(Duration.ofNanos(waitNanos)));
        }
    }

    private long configured() {
        return config.failoverAfter().toNanos();
    }

    private static void keep(long nanos, Turn turn) {
        turn.store().put(OutboxKeys.failover(), new BinWriter(9).varint(nanos).toSlice());
    }

    /** Called about once a second; returns whether the wait has ended since. */
    boolean ends(Turn turn) {
        if (over || !isOver(turn)) {
            return false;
        }
        over = true;
        if (isLonger()) {
            keep(configured(), turn);
            turn.notify(new OutboxEvent.AdoptionPaused(Duration.ZERO));
        }
        return true;
    }

    /** Returns whether it has lasted long enough. */
    boolean isOver(Turn turn) {
        return turn.now() - beganNanos >= waitNanos;
    }

    /** Returns whether somebody may go by more than this process waits. */
    boolean isLonger() {
        return waitNanos > configured();
    }

    /** Returns when the boot began. */
    long beganNanos() {
        return beganNanos;
    }
}
