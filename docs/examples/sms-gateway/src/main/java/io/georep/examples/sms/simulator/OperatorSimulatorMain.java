package io.georep.examples.sms.simulator;

import io.georep.examples.sms.Printable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Runs the operator simulator: reports every second in which something arrived, and obeys commands typed in. */
public final class OperatorSimulatorMain {
    private static final String USAGE = """
            Options: --host=localhost --port=2776 --system-id=gateway --password=PASSWORD --delay=MILLIS
                --rate=PER_SECOND --receipts --show; without --password the environment variable SMS_OPERATOR_PASSWORD
            Commands: throttle on | throttle off | receipts on | receipts off | delay MILLIS | rate PER_SECOND | drop | quit""";

    private OperatorSimulatorMain() {}

    /** Runs until it is told to quit. */
    public static void main(String[] arguments) throws InterruptedException {
        PlainLogging.set();
        Map<String, String> options = options(arguments);
        String password = options.getOrDefault("password", System.getenv("SMS_OPERATOR_PASSWORD"));
        if (password == null || password.isEmpty()) {
            System.err.println("Which password do gateways bind with?\n" + USAGE);
            System.exit(2);
        }
        boolean show = options.containsKey("show");
        try (OperatorSimulator operator = OperatorSimulator.open(
                options.getOrDefault("host", "localhost"),
                Integer.parseInt(options.getOrDefault("port", "2776")),
                List.of(options.getOrDefault("system-id", "gateway")),
                password,
                received -> {
                    if (show) {
                        print(
                                "%s  %s -> %s  %s",
                                Printable.of(received.entryId()),
                                Printable.of(received.sms().from().number()),
                                Printable.of(received.sms().to().number()),
                                Printable.of(received.sms().text()));
                    }
                })) {
            operator.delay(Duration.ofMillis(Long.parseLong(options.getOrDefault("delay", "0"))));
            operator.receipts(options.containsKey("receipts"));
            operator.rate(Integer.parseInt(options.getOrDefault("rate", "0")));
            print("The operator listens on port %d.%n%s", operator.port(), USAGE);
            CountDownLatch quit = new CountDownLatch(1);
            obey(operator, quit);
            ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
            ScheduledFuture<?> reports = clock.scheduleAtFixedRate(new Report(operator), 1, 1, TimeUnit.SECONDS);
            quit.await();
            reports.cancel(false);
            clock.shutdownNow();
        }
    }

    private static Map<String, String> options(String[] arguments) {
        Map<String, String> options = new TreeMap<>();
        for (String argument : arguments) {
            if (!argument.startsWith("--")) {
                throw new IllegalArgumentException("'" + argument + "' is not an option.\n" + USAGE);
            }
            int equals = argument.indexOf('=');
            options.put(
                    argument.substring(2, equals < 0 ? argument.length() : equals),
                    equals < 0 ? "" : argument.substring(equals + 1));
        }
        return options;
    }

    /** Without a terminal there are no commands, and it runs until it is killed. */
    private static void obey(OperatorSimulator operator, CountDownLatch quit) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader in =
                            new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()))) {
                        String line = in.readLine();
                        while (line != null && command(operator, line.strip())) {
                            line = in.readLine();
                        }
                        if (line != null) {
                            quit.countDown();
                        }
                    } catch (IOException e) {
                        print("No more commands: %s", e);
                    }
                },
                "commands");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns false when it is to quit. */
    private static boolean command(OperatorSimulator operator, String line) {
        String[] words = line.split(" ", -1);
        try {
            switch (words[0]) {
                case "" -> {}
                case "quit" -> {
                    return false;
                }
                case "drop" -> operator.dropSessions();
                case "throttle" -> operator.throttle(words[1].equals("on"));
                case "receipts" -> operator.receipts(words[1].equals("on"));
                case "delay" -> operator.delay(Duration.ofMillis(Long.parseLong(words[1])));
                case "rate" -> operator.rate(Integer.parseInt(words[1]));
                default -> print("%s", USAGE);
            }
        } catch (ArrayIndexOutOfBoundsException | NumberFormatException e) {
            print("%s", USAGE);
        }
        return true;
    }

    private static void print(String format, Object... arguments) {
        System.out.printf(format + "%n", arguments);
    }

    /** Prints what changed since the last time. */
    private static final class Report implements Runnable {
        private final OperatorSimulator operator;
        private long received;
        private long throttled;

        Report(OperatorSimulator operator) {
            this.operator = operator;
        }

        @Override
        public void run() {
            long receivedNow = operator.received();
            long throttledNow = operator.throttled();
            if (receivedNow != received || throttledNow != throttled) {
                print(
                        "sessions %d   messages %,d (+%,d)   duplicates %,d   throttled %,d (+%,d)",
                        operator.sessions(),
                        receivedNow,
                        receivedNow - received,
                        operator.duplicates(),
                        throttledNow,
                        throttledNow - throttled);
            }
            received = receivedNow;
            throttled = throttledNow;
        }
    }
}
