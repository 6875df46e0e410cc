package io.georep.examples.sms.smpp;

/** A request is answered with an error. */
public final class SmppStatusException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    public SmppStatusException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** SMPP's command_status. */
    public int status() {
        return status;
    }
}
