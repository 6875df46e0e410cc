package example;

import java.nio.file.Path;

/** The same two nodes in a module; the argument is a directory. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
        System.out.println("forwarded: " + TwoSites.send(Path.of(arguments[0]), "Your code is 1234"));
    }
}
