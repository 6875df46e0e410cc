package io.georep.examples.sms;

import io.georep.model.GeoRepException;

/** The account was closed after its session was bound, or its request let in. */
final class AccountClosedException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    AccountClosedException(String account) {
        super("account " + account + " is closed");
    }
}
