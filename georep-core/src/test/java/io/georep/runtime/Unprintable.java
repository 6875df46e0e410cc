package io.georep.runtime;

import java.io.PrintStream;

/** An error no log can print: what happens when memory or stack are at their end while an error is being told. */
public final class Unprintable extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
        throw new StackOverflowError("an error while telling of an error");
    }

    @Override
    public String toString() {
        throw new StackOverflowError("an error while telling of an error");
    }

    @Override
    public void printStackTrace(PrintStream out) {
        throw new StackOverflowError("an error while telling of an error");
    }
}
