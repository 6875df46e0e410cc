package io.georep.geopaxos.core;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;
import io.georep.consensus.Ballot;
import io.georep.consensus.LogEntry;
import io.georep.consensus.LogMessage;
import io.georep.consensus.LogMessage.Learn;
import io.georep.consensus.ReplicatedLog;
import io.georep.consensus.Seats;
import io.georep.model.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node has, for another one that needs slots which are forgotten. With what is left of the logs: the other node forgets no more
 * than this one by taking it, see {@link Truncation}.
 *
 * <pre>
 * state = bytes snapshot | (varint base | varint slot of the seats | bytes seats | bytes message of the log)*
 * </pre>
 */
record GeoState(Slice snapshot, List<Held> logs) {
    /**
     * The log of a group.
     *
     * @param base up to where it is forgotten
     * @param seats by then
     * @param entries that are decided after that
     */
    record Held(long base, Seats seats, Learn entries) {
        static Held of(ReplicatedLog log) {
            List<LogEntry> entries = new ArrayList<>();
            for (long slot = log.base() + 1; slot <= log.decided(); slot++) {
                entries.add(log.entry(slot));
            }
            return new Held(log.base(), log.seatsAtBase(), new Learn(Ballot.NONE, log.base() + 1, entries));
        }

        long decided() {
            return base + entries.entries().size();
        }
    }

    Slice encode() {
        BinWriter out = new BinWriter(snapshot.length() + 1024).bytes(snapshot);
        for (Held log : logs) {
            out.varint(log.base).varint(log.seats.slot()).bytes(Seats.encode(log.seats.list()));
            out.bytes(log.entries.encode());
        }
        return out.toSlice();
    }

    /**
     * Reads a state of so many groups. The snapshot is not looked into.
     *
     * @throws MalformedException if it is none
     */
    static GeoState read(Slice bytes, int groups) {
        BinReader in = new BinReader(bytes);
        Slice snapshot = in.bytes();
        List<Held> logs = new ArrayList<>();
        for (int group = 0; group < groups; group++) {
            long base = in.varint(Operation.NUMBER_MAX, "base");
            Seats seats = Seats.read(in.varint(base, "slot of the seats"), in.bytes());
            LogMessage message = GeoMessage.check(LogMessage.read(new BinReader(in.bytes())), groups);
            if (!(message instanceof Learn learn) || learn.first() != base + 1) {
                throw new MalformedException("a state whose log after slot " + base + " is " + message);
            }
            logs.add(new Held(base, seats, learn));
        }
        return new GeoState(snapshot, logs);
    }
}
