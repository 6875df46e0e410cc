package io.georep.examples.sms.http;

/** A request asks for something no gateway can do. */
final class InvalidMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InvalidMessageException(String message) {
        super(message);
    }
}
