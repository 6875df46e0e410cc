package io.georep.protocol.membership;

import io.georep.codec.BinReader;
import io.georep.codec.BinWriter;
import io.georep.codec.MalformedException;

/**
 * What a node says about its cluster (M28). It travels in the headers of frames until the other side has confirmed one of
 * them.
 *
 * <pre>
 * i64 id | u8 standing (0 seeking, 1 forming, 2 settled) | i64 digest
 * </pre>
 *
 * @param id number of the cluster the sender belongs to now
 * @param standing whether it may still take another one
 * @param digest of the sender's peer list, by which nodes that are forming see that they agree; 0 when settled
 */
public record ClusterWord(long id, Standing standing, long digest) {
    /** How firmly a node belongs to its cluster. */
    public enum Standing {
        /** Takes the id of any node that it meets, and has not reached all of its seeds yet. */
        SEEKING(0),
        /** Has reached all of its seeds, and waits for the others. */
        FORMING(1),
        /** Changes its id on an operator's order only. */
        SETTLED(2);

        private final int code;

        Standing(int code) {
            this.code = code;
        }

        private static Standing of(int code) {
            return switch (code) {
                case 0 -> SEEKING;
                case 1 -> FORMING;
                case 2 -> SETTLED;
                default -> throw new MalformedException("standing of a cluster is " + code + ", 0 to 2 expected");
            };
        }
    }

    void write(BinWriter out) {
        out.i64(id).u8(standing.code).i64(digest);
    }

    static ClusterWord read(BinReader in) {
        return new ClusterWord(in.i64(), Standing.of(in.u8()), in.i64());
    }

    /** Returns whether the sender's cluster is settled. */
    public boolean isSettled() {
        return standing == Standing.SETTLED;
    }

    /** A cluster's id as people see it: 16 hexadecimal digits. */
    public static String text(long id) {
        return String.format("%016x", id);
    }
}
