package io.georep.examples.fleet;

import java.util.Locale;

/**
 * How large the demo is.
 *
 * @param tills how many there are at any time, besides the office
 * @param replaced how many are replaced while prices change and cards are blocked
 * @param perSecond how many of them each second
 */
record DemoOptions(int tills, int replaced, double perSecond) {
    DemoOptions {
        if (tills < 4 || tills > 500 || replaced < 0 || perSecond <= 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "%d tills, of which %d are replaced, %.1f per second: allowed are 4 to 500 tills, and no less than 0",
                    tills,
                    replaced,
                    perSecond));
        }
    }

    /** Reads the properties {@code demo.tills}, {@code demo.replaced} and {@code demo.rate}; empty means default. */
    static DemoOptions fromProperties() {
        int tills = (int) number("demo.tills", 60);
        return new DemoOptions(tills, (int) number("demo.replaced", 200), number("demo.rate", tills / 20.0));
    }

    private static double number(String name, double ifMissing) {
        String value = System.getProperty(name, "");
        return value.isEmpty() ? ifMissing : Double.parseDouble(value);
    }
}
