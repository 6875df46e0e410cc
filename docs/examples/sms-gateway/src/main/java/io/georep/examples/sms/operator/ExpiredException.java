package io.georep.examples.sms.operator;

/** The validity of a message is over: it is not sent any more. */
public final class ExpiredException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ExpiredException(String message) {
        super(message);
    }
}
