package io.georep.spring.outbox;

import io.georep.outbox.Outbox;
import io.georep.spi.PayloadCodec;

/** Told about every outbox that is opened, before anybody sends to it. */
@FunctionalInterface
public interface OpenListener {
    /**
     * An outbox was opened.
     *
     * @param outbox the outbox underneath, without any advice
     * @param codec how its payloads are written
     * @param f copies on other nodes
     */
    <T> void opened(Outbox<T> outbox, PayloadCodec<T> codec, int f);
}
