package io.georep.spring;

/** When a delivered entry counts as forwarded. */
public enum AckMode {
    /** When the method returns normally, or the stage it returned completes normally. */
    AUTO,
    /** When the method, or whoever it passed the {@link Acknowledgement} to, says so. */
    MANUAL
}
