package io.georep.examples.fleet;

/** The demo: {@code ./mvnw -Pdemo -Ddemo=fleet}. */
public final class FleetDemoMain {
    private FleetDemoMain() {}

    /** Ends with exit code 0 only if no till was wrong, and all of them know all at the end. */
    public static void main(String[] arguments) {
        int exitCode = 1;
        try {
            exitCode = new FleetDemo(DemoOptions.fromProperties()).run();
        } catch (IllegalStateException | IllegalArgumentException e) {
            System.out.println("FAILED: " + e.getMessage());
        } catch (InterruptedException e) {
            System.out.println("FAILED: interrupted");
        }
        System.exit(exitCode);
    }
}
