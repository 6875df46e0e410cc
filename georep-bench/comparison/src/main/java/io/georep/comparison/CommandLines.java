package io.georep.comparison;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Commands from the standard input, a line each. Each is answered with a line; when the input ends, there are no more. */
final class CommandLines {
    /** Carries out a command; the first word is its name. */
    @FunctionalInterface
    interface Command {
        String answer(String[] words) throws Exception;
    }

    private CommandLines() {}

    /** Carries out commands until the input ends. */
    static void serve(PrintStream answers, Command command) throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            try {
                answers.println(command.answer(line.split(" ", -1)));
            } catch (Exception e) {
                e.printStackTrace();
                answers.println("error " + e.toString().lines().findFirst().orElse(""));
            }
        }
    }
}
