package io.georep.simulation;

/** The way from one address to another: how long it takes, whether it is open, and the connection on it. */
public final class Way {
    private final SimulatedNetwork network;
    private final String from;
    private final String to;
    private final String name;
    private long delayNanos;
    private long jitterNanos;
    private long nanosPerByte;
    private long nanosPerByteOnLine;
    private boolean cut;
    private boolean clogged;
    private Connection connection;

    Way(SimulatedNetwork network, String from, String to, long delayNanos, long jitterNanos) {
        this.network = network;
        this.from = from;
        this.to = to;
        this.name = from + ">" + to;
        this.delayNanos = delayNanos;
        this.jitterNanos = jitterNanos;
    }

    /** Sets how long frames take: at least {@code nanos}, at most {@code jitter} more. */
    public void delay(long nanos, long jitter) {
        delayNanos = nanos;
        jitterNanos = jitter;
    }

    /** Frames leave one after the other, each byte taking so long; what waits is shared between lanes. */
    public void line(long nanosForEachByte) {
        nanosPerByteOnLine = nanosForEachByte;
        if (nanosForEachByte == 0 && connection != null) {
            connection.lineIsGone();
        }
    }

    long nanosPerByteOnLine() {
        return nanosPerByteOnLine;
    }

    /** Sets the time each byte takes: 8 nanoseconds are a gigabit per second. */
    public void bandwidth(long nanosForEachByte) {
        nanosPerByte = nanosForEachByte;
    }

    /**
     * Closes the way: what is on it is lost, and so is everything sent until it heals and the dialer has connected
     * anew.
     *
     * @param silently whether the dialer does not notice before the way heals
     */
    public void cut(boolean silently) {
        if (cut) {
            return;
        }
        cut = true;
        note("cut");
        if (connection != null) {
            connection.dead();
            if (!silently) {
                connection.noticeSoon("no answer");
            }
        }
    }

    /** Opens the way again after {@link #cut} or {@link #clog}. */
    public void heal() {
        if (cut) {
            cut = false;
            note("heal");
            if (connection != null) {
                connection.noticeSoon("reset by peer");
            }
        }
        if (clogged) {
            clogged = false;
            note("unclog");
            if (connection != null) {
                connection.flow();
            }
        }
    }

    /** Holds everything on the way back until it heals; nothing is lost. */
    public void clog() {
        if (!clogged) {
            clogged = true;
            note("clog");
        }
    }

    /** Breaks the connection on the way, if any; the dialer may dial anew at once. */
    public void breakConnection() {
        if (connection != null) {
            note("break");
            connection.breakOff("broken");
        }
    }

    /** Whether nothing passes for ever: the way is cut. */
    public boolean isCut() {
        return cut;
    }

    boolean isClogged() {
        return clogged;
    }

    /** Whether frames sent now will arrive unless something happens. */
    boolean isOpen() {
        return !cut && !clogged;
    }

    Connection connection() {
        return connection;
    }

    void connection(Connection next) {
        connection = next;
    }

    /** How long this frame takes. */
    long drawDelay(int bytes) {
        long jitter = jitterNanos == 0 ? 0 : network.random().nextLong(jitterNanos);
        return delayNanos + jitter + nanosPerByte * bytes;
    }

    private void note(String what) {
        World world = network.world();
        world.trace().note(world.now(), what, this, null, null, 0);
    }

    @Override
    public String toString() {
        return name;
    }
}
