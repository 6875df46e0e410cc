package io.georep.bench.process;

import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Command lines of the programs here, read by picocli: enums in any case, numbers with underscores, options within their
 * {@link Range}.
 */
public final class Program {
    /** Options that must fit together. */
    public interface Checked {
        /**
         * Called when all options are read.
         *
         * @throws ParameterException when they do not fit; see {@link Program#refuse}
         */
        void check();
    }

    private Program() {}

    /**
     * Reads the options, runs the program and ends the JVM with its answer, 2 for options that are not valid, 1 when it
     * failed.
     */
    public static void run(Callable<Integer> program, String... args) {
        CommandLine commandLine = commandLine(program);
        commandLine
                .getCommandSpec()
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Shows this.")
                        .build());
        commandLine.setExecutionStrategy(parsed -> {
            if (!parsed.isUsageHelpRequested()) {
                check(commandLine);
            }
            return new CommandLine.RunLast().execute(parsed);
        });
        System.exit(commandLine.execute(args));
    }

    /**
     * Reads options into the fields of an object.
     *
     * @return the same object
     * @throws ParameterException when one is unknown, missing or not valid; the message names it and what is allowed
     */
    public static <T> T parse(T options, String... args) {
        CommandLine commandLine = commandLine(options);
        commandLine.parseArgs(args);
        check(commandLine);
        return options;
    }

    /**
     * Reads options into the fields of an object from the properties that start with a prefix; blank ones count as not given.
     *
     * @param prefix what the names of all options start with
     * @return the same object
     * @throws IllegalArgumentException when one is unknown or not valid; the message names it and what is allowed
     */
    public static <T> T parse(T options, Properties properties, String prefix) {
        Set<String> known = new TreeSet<>(
                new CommandLine(options).getCommandSpec().optionsMap().keySet());
        List<String> given = new ArrayList<>();
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            String value = properties.getProperty(name).strip();
            if (name.startsWith(prefix) && !value.isEmpty()) {
                if (!known.contains(name)) {
                    throw new IllegalArgumentException(name + " is unknown: there are " + String.join(", ", known));
                }
                given.add(name + "=" + value);
            }
        }
        try {
            return parse(options, given.toArray(new String[0]));
        } catch (ParameterException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** A refusal that a program finds itself, said like those of the command line. */
    public static ParameterException refuse(CommandSpec spec, String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static CommandLine commandLine(Object options) {
        // Boxed and unboxed; picocli names the option in front of what a converter says.
        ITypeConverter<Integer> toInt = value -> number(value, Integer.MAX_VALUE, Integer::valueOf);
        ITypeConverter<Long> toLong = value -> number(value, Long.MAX_VALUE, Long::valueOf);
        return new CommandLine(options)
                .setParameterExceptionHandler(Program::explain)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(int.class, toInt)
                .registerConverter(Integer.class, toInt)
                .registerConverter(long.class, toLong)
                .registerConverter(Long.class, toLong);
    }

    /** The mistake and where to look, instead of all options. */
    private static int explain(ParameterException mistake, String... args) {
        PrintWriter err = mistake.getCommandLine().getErr();
        err.println(mistake.getMessage());
        if (!UnmatchedArgumentException.printSuggestions(mistake, err)) {
            err.println("--help lists the options.");
        }
        return CommandLine.ExitCode.USAGE;
    }

    private static <T> T number(String value, long max, Function<String, T> parser) {
        try {
            return parser.apply(value.replace("_", ""));
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + value + "' is not a whole number up to " + max);
        }
    }

    private static void check(CommandLine commandLine) {
        checkRanges(commandLine);
        if (commandLine.getCommand() instanceof Checked checked) {
            checked.check();
        }
    }

    private static void checkRanges(CommandLine commandLine) {
        for (OptionSpec option : commandLine.getCommandSpec().options()) {
            if (option.userObject() instanceof Field field && field.isAnnotationPresent(Range.class)) {
                Range range = field.getAnnotation(Range.class);
                Object value = option.getValue();
                List<?> numbers =
                        value == null ? List.of() : value instanceof List<?> several ? several : List.of(value);
                for (Object number : numbers) {
                    long given = ((Number) number).longValue();
                    if (given < range.min() || given > range.max()) {
                        throw new ParameterException(
                                commandLine,
                                option.longestName() + " is " + given + ", allowed are " + range.min() + " to "
                                        + range.max());
                    }
                }
            }
        }
    }
}
