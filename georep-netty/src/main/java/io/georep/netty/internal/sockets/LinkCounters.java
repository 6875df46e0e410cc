package io.georep.netty.internal.sockets;

import java.util.concurrent.atomic.LongAdder;

/** Counts since the start. Bytes are those of the link layer: chunk headers included, TCP and IP not. */
public final class LinkCounters {
    public final LongAdder framesOut = new LongAdder();
    public final LongAdder bytesOut = new LongAdder();
    public final LongAdder framesIn = new LongAdder();
    public final LongAdder bytesIn = new LongAdder();
    /** Outgoing links that are up now. */
    public final LongAdder linksOut = new LongAdder();
    /** Incoming links that are up now. */
    public final LongAdder linksIn = new LongAdder();
    /** Handshakes this node refused, strangers included. */
    public final LongAdder refusalsSent = new LongAdder();
    /** Handshakes that peers refused. */
    public final LongAdder refusalsReceived = new LongAdder();
    /** Connections in either direction that ended because one side had not proved to the other who it is. */
    public final LongAdder distrusted = new LongAdder();
    /** Attempts to dial that reached nobody, or nobody who speaks this protocol. */
    public final LongAdder dialsFailed = new LongAdder();
    /** Frames dropped because there was no link, or its queue was full. */
    public final LongAdder framesDropped = new LongAdder();
    /** Incoming links closed because what came over them was not valid. */
    public final LongAdder malformed = new LongAdder();
}
