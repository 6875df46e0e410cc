package io.georep.netty.internal.security;

/**
 * Has the JVM compile AES-GCM before the first link needs it. The instructions of the processor are only used once the optimizing
 * compiler has had its turn. On a node that starts under load it has much else to do first, and until then the cipher took
 * more than half of the time of the threads of the links. Takes about a tenth of a second, once per JVM.
 */
final class RecordWarmUp {
    private static final int RECORDS = 10_000;
    private static final int BYTES = 64;

    private RecordWarmUp() {}

    /** Returns when it is done, for the first caller and those who come meanwhile; at once for all others. */
    static void once() {
        Done.ensure();
    }

    /** The JVM initializes a class once. */
    private static final class Done {
        static {
            byte[] key = new byte[RecordCipher.KEY_BYTES];
            RecordCipher sealing = RecordCipher.sealing(key);
            RecordCipher opening = RecordCipher.opening(key);
            byte[] record = new byte[BYTES + RecordCipher.TAG_BYTES];
            byte[] plain = new byte[BYTES];
            for (int i = 0; i < RECORDS; i++) {
                sealing.next(record, BYTES, record, 0);
                opening.next(record, record.length, plain, 0);
            }
        }

        static void ensure() {}
    }
}
