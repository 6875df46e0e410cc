package io.georep.spring;

/** When a delivered entry counts as forwarded. */
public enum AckMode {
    /** When the method returns normally, or when the stage that it returned completes normally. */
    AUTO,
    /** When somebody acknowledges it: the method, or the code to which the method passed the {@link Acknowledgement}. */
    MANUAL
}
