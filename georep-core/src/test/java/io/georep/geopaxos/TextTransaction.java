package io.georep.geopaxos;

import io.georep.spi.PayloadCodec;

/** A transaction of tests whose argument and result are texts. */
public interface TextTransaction extends MapTransaction<String, String> {
    @Override
    default int version() {
        return 1;
    }

    @Override
    default PayloadCodec<String> arguments() {
        return PayloadCodec.string();
    }

    @Override
    default PayloadCodec<String> results() {
        return PayloadCodec.string();
    }
}
