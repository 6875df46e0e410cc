package io.georep.outbox.core.context;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;

/**
 * How far the attempts at one entry have come (6.13). Of two marks one outranks the other, so owners agree in whatever
 * order they are told.
 *
 * @param round rises when an operator has the attempts begin anew
 * @param dead whether the application gave up on it in this round
 * @param attempts that failed in this round
 */
public record AttemptMark(long round, boolean dead, int attempts) {
    private static final long ROUND_MAX = Integer.MAX_VALUE;

    /** Attempts are not counted beyond this, so that a later owner can add as many again. */
    private static final int ATTEMPTS_MAX = 1 << 30;

    /** The mark of an entry that has none. */
    public static final AttemptMark NONE = new AttemptMark(0, false, 0);

    /** Counts no further than {@link #ATTEMPTS_MAX}. */
    public AttemptMark {
        attempts = Math.min(ATTEMPTS_MAX, attempts);
    }

    public boolean outranks(AttemptMark other) {
        if (round != other.round) {
            return round > other.round;
        }
        return dead == other.dead ? attempts > other.attempts : dead;
    }

    AttemptMark failed(int soFar) {
        return new AttemptMark(round, dead, Math.max(attempts, soFar));
    }

    public AttemptMark deadLetter(int soFar) {
        return new AttemptMark(round, true, Math.max(attempts, soFar));
    }

    public AttemptMark anew() {
        return new AttemptMark(Math.min(ROUND_MAX, round + 1), false, 0);
    }

    public void write(BinWriter out) {
        out.varint(round).u8(dead ? 1 : 0).varint(attempts);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws MalformedException when a field is out of its bounds
     */
    public static AttemptMark read(BinReader in) {
        long round = in.varint(ROUND_MAX, "round of attempts");
        int dead = in.u8();
        if (dead > 1) {
            throw new MalformedException("mark of a dead letter is " + dead + ", allowed are 0 and 1");
        }
        return new AttemptMark(round, dead == 1, (int) in.varint(Integer.MAX_VALUE, "attempts"));
    }
}
