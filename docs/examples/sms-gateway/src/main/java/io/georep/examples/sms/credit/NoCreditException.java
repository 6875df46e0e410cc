package io.georep.examples.sms.credit;

import io.georep.model.GeoRepException;

/** The account has too little credit. Nothing was sent. */
public final class NoCreditException extends GeoRepException {
    private static final long serialVersionUID = 1L;

    public NoCreditException(String account, long parts) {
        super("account " + account + " has not enough credit for a message of " + parts + " parts: top up");
    }
}
