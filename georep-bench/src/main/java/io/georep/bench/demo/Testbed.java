package io.georep.bench.demo;

import java.io.IOException;
import java.time.Duration;

/** What accidents can do to the nodes, which are counted from 0. Used by one thread. */
interface Testbed {
    /** Number of nodes. */
    int nodes();

    /** What messages call a node. */
    String name(int node);

    /** Whether this kind of accident is possible here; when not, why, and else an empty text. */
    String obstacle(AccidentKind kind);

    /** Ends a node's process with SIGKILL. */
    void kill(int node);

    /** Starts a node that was killed, on the files it has now, and waits until it runs. */
    void restart(int node) throws IOException;

    /** Stops all threads of a node. */
    void freeze(int node) throws IOException;

    /** Lets a frozen node go on. */
    void thaw(int node) throws IOException;

    /** Returns whether there is an image of a node's files. */
    boolean hasImage(int node);

    /** Keeps an image of the files of a node that was killed, in place of an earlier one. */
    void takeImage(int node) throws IOException;

    /** Gives a node that was killed the files of its image. */
    void putImageBack(int node) throws IOException;

    /** Removes the files of a node that was killed. */
    void empty(int node) throws IOException;

    /** Leaves so many bytes of space to a node. */
    void fillDisk(int node, long leaveBytes) throws IOException;

    /** Gives a node its space back. */
    void freeDisk(int node) throws IOException;

    /** Makes a node's disk answer nothing, or go on. */
    void hangDisk(int node, boolean on);

    /** Lets a node's wall clock jump. */
    void stepClock(int node, Duration step);

    /** Makes the consumer take nothing, or go on. */
    void holdConsumer(boolean on);

    /** Makes producers send so many times as fast as they did in the beginning. */
    void hurryProducers(int factor);

    /** Holds up what one node says to another one. */
    void block(int from, int to);

    /** Makes what one node says to another one take so much longer. */
    void delay(int from, int to, Duration added);

    /** Damages about one of so many bytes that one node says to another one. */
    void damage(int from, int to, int everyBytes);

    /** Makes one node read slowly what another one says. */
    void slow(int from, int to, int bytesPerSecond);

    /** Lets everything through again, as it was in the beginning. */
    void heal();

    /** Breaks the connections between two nodes. */
    void breakLinks(int one, int other);

    /** Waits until every entry has its copies again, as far as anybody can tell. */
    void settle();

    /** Waits until all nodes see each other. */
    void awaitComplete();

    /** Lets time pass. */
    void pass(Duration time);
}
