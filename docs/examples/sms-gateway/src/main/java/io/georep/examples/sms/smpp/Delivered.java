package io.georep.examples.sms.smpp;

/** What became of something that was to be given to a client. */
public enum Delivered {
    /** The client has it. */
    TAKEN,
    /** The client is not there, or cannot take it now. */
    LATER,
    /** The client will never take it. */
    REFUSED
}
