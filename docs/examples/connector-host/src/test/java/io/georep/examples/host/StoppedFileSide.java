package io.georep.examples.host;

import java.nio.file.Path;

/** A file cannot be stopped, so operators stop the connector that uses it at all nodes, and resume it. */
final class StoppedFileSide extends FileSide {
    private final Hosts hosts;
    private final String connector;
    private boolean stopped;

    StoppedFileSide(Path directory, String name, Ledger ledger, Hosts hosts, String connector) {
        super(directory, name, ledger);
        this.hosts = hosts;
        this.connector = connector;
    }

    @Override
    public void start() throws Exception {
        if (stopped) {
            stopped = false;
            hosts.changeAll(connector, "resume");
        }
    }

    @Override
    public void stop() throws Exception {
        stopped = true;
        hosts.changeAll(connector, "stop");
        hosts.awaitStopped(connector);
    }
}
