package io.georep.model;

/** Which rules a node follows. */
public enum Profile {
    /** Only the rules of the papers. They lose entries in known cases: this is for reproducing the papers' tables. */
    PAPER,
    /** The rules of the papers, with the gaps closed. This is the default. */
    HARDENED
}
