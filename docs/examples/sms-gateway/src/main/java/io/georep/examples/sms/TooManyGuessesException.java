package io.georep.examples.sms;

/** Too many wrong passwords came from this address or for this account: this one was not checked. */
public final class TooManyGuessesException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooManyGuessesException() {
        super("too many wrong passwords from this address or for this account: try again in a few seconds");
    }
}
