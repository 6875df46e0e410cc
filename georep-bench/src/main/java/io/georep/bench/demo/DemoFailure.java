package io.georep.bench.demo;

/** The demo cannot show what it is to show; the message says why. */
final class DemoFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DemoFailure(String message) {
        super(message);
    }
}
