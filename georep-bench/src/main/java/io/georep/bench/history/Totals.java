package io.georep.bench.history;

/** The account of the times in which one kind of accident was the latest to happen. Not thread-safe. */
public final class Totals {
    /** The kind of accident; a word. */
    public final String kind;

    /** How often it happened. */
    public long times;

    /** Attempts to send. */
    public long attempted;

    /** Attempts that were acknowledged. */
    public long acknowledged;

    /** Attempts that were refused. */
    public long rejected;

    /** Attempts without a sure answer. */
    public long indeterminate;

    /** Entries that arrived for the first time. */
    public long forwarded;

    /** Of the attempts without a sure answer, those that were forwarded. */
    public long recovered;

    /** Entries that arrived once more. */
    public long duplicated;

    /** Arrivals of what was never sent, or refused. */
    public long unexpected;

    /** Of the acknowledged ones, entries that did not arrive. */
    public long lost;

    /** Accidents after which all nodes saw each other again before the next one. */
    public long reunions;

    /** Microseconds from the end of such an accident until all nodes saw each other, all together. */
    public long reunionMicros;

    /** The longest of these times. */
    public long reunionMicrosMax;

    /** An empty account. */
    public Totals(String kind) {
        this.kind = kind;
    }

    void reunited(long micros) {
        reunions++;
        reunionMicros += micros;
        reunionMicrosMax = Math.max(reunionMicrosMax, micros);
    }

    /** Adds another one. */
    public void add(Totals other) {
        times += other.times;
        attempted += other.attempted;
        acknowledged += other.acknowledged;
        rejected += other.rejected;
        indeterminate += other.indeterminate;
        forwarded += other.forwarded;
        recovered += other.recovered;
        duplicated += other.duplicated;
        unexpected += other.unexpected;
        lost += other.lost;
        reunions += other.reunions;
        reunionMicros += other.reunionMicros;
        reunionMicrosMax = Math.max(reunionMicrosMax, other.reunionMicrosMax);
    }
}
