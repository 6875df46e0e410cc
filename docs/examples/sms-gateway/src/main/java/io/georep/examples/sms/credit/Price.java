package io.georep.examples.sms.credit;

import io.georep.examples.sms.Alphabet;
import io.georep.examples.sms.Sms;

/** What a message costs: as many parts as it needs on the air. */
final class Price {
    private static final int SEPTETS = 160;
    private static final int SEPTETS_OF_SEVERAL = 153;
    private static final int BYTES = 140;
    private static final int BYTES_OF_SEVERAL = 134;

    private Price() {}

    static long of(Sms sms) {
        boolean septets = sms.dataCoding() == Alphabet.DEFAULT.dataCoding();
        int length = sms.content().length;
        int ofSeveral = septets ? SEPTETS_OF_SEVERAL : BYTES_OF_SEVERAL;
        return length <= (septets ? SEPTETS : BYTES) ? 1 : (length + ofSeveral - 1) / ofSeveral;
    }
}
