package io.georep.model;

/** Which rules a node follows. */
public enum Profile {
    /** Only what the papers state. It loses entries in known cases; for reproducing the papers' tables. */
    PAPER,
    /** The papers' rules with the gaps closed: the default. */
    HARDENED
}
