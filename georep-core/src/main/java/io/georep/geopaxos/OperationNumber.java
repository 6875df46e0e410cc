package io.georep.geopaxos;

/**
 * Names an operation, so that it takes effect once however often it is repeated, here or at other nodes. A repetition gets the result
 * of the first execution. Results are kept until the client acknowledges them. Something is kept of each client for ever, so
 * use one client for each process or task, not one for each operation. Numbers that are left out cost more than those that
 * follow each other.
 *
 * <p>Operations of a client for which one node is asked in the order of their numbers take effect in this order, if one writes a key that the
 * other one uses. Such operations are under way one at a time.
 *
 * @param client the same for all operations of a client; draw it at random, so that no two clients have the same
 * @param number of the operation among those of its client, from 1 on; never used for another operation
 * @param acknowledged the client repeats no operation up to this number any more; 0 for none, less than {@code number}
 */
public record OperationNumber(long client, long number, long acknowledged) {
    private static final long NUMBER_MAX = 1L << 60;

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one is not as described
     */
    public OperationNumber {
        if (number < 1 || number > NUMBER_MAX || acknowledged < 0 || acknowledged >= number) {
            throw new IllegalArgumentException("operation " + number + " of client " + client + ", acknowledged up to "
                    + acknowledged + ": numbers are 1 to 2^60, and what is acknowledged is lower");
        }
    }
}
