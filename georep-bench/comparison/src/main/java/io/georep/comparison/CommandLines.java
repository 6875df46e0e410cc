package io.georep.comparison;

import io.georep.bench.process.Program;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** Commands from the standard input, a line each. Each is answered with a line; when the input ends, there are no more. */
final class CommandLines {
    /** Carries out a command; the first word is its name. */
    @FunctionalInterface
    interface Command {
        String answer(String[] words) throws Exception;
    }

    private CommandLines() {}

    /** Runs a program that answers. What products print goes to the standard error, because it must not look like an answer. */
    static void run(Function<PrintStream, Callable<Integer>> program, String[] args) {
        PrintStream answers = System.out;
        System.setOut(System.err);
        Program.run(program.apply(answers), args);
    }

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
